import { formatUsdt, millionthsPerCent, type MoneyText, parseMoney, sha256, type UsdtText } from '@florin/kernel';

/** Decimals 3 to 6 distinguish invoices. Zero is excluded: a payer who ignores the decimals would send it. */
export const distinctAmounts = 9_999;

/**
 * The deposit amount plus the first free number of millionths. The search starts at a number derived from the invoice id, so
 * that a repeat finds the same amount, and amounts do not reveal the number of invoices.
 */
export function freePayAmount(
  invoiceId: string,
  depositAmount: MoneyText,
  isTaken: (payAmount: UsdtText) => boolean,
): UsdtText | undefined {
  const deposit = parseMoney(depositAmount) * millionthsPerCent;
  const first = numberOf(invoiceId);
  for (let step = 0; step < distinctAmounts; step++) {
    const millionths = ((first + step) % distinctAmounts) + 1;
    const payAmount = formatUsdt(deposit + BigInt(millionths));
    if (!isTaken(payAmount)) return payAmount;
  }
  return undefined;
}

/** Rotates the addresses by a number derived from the invoice id, so that all are used equally. */
export function rotatedAddresses<Address>(invoiceId: string, addresses: readonly Address[]): readonly Address[] {
  if (addresses.length === 0) return [];
  const first = numberOf(`place ${invoiceId}`) % addresses.length;
  return [...addresses.slice(first), ...addresses.slice(0, first)];
}

function numberOf(name: string): number {
  return Number.parseInt(sha256(name).slice(0, 12), 16);
}
