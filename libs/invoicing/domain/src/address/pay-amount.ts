import { formatUsdt, type MoneyText, parseMoney, sha256, type UsdtText } from '@florin/kernel';

/** The decimals 3 to 6 tell invoices apart; 0 of them would be what everybody sends who did not read the invoice. */
export const distinctAmounts = 9_999;

const millionthsPerCent = 10_000n;

/**
 * The deposit plus as few millionths as make it an amount that is free. Where to begin follows from the invoice, so that
 * who asks again finds the same, and nobody can tell from an amount how many invoices there are.
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

/** Every invoice begins to look at another place, so that all of them are used alike. */
export function inOrderOf<Place>(invoiceId: string, places: readonly Place[]): readonly Place[] {
  if (places.length === 0) return [];
  const first = numberOf(`place ${invoiceId}`) % places.length;
  return [...places.slice(first), ...places.slice(0, first)];
}

function numberOf(name: string): number {
  return Number.parseInt(sha256(name).slice(0, 12), 16);
}
