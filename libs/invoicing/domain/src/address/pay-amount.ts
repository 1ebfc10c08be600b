import { formatUsdt, millionthsPerCent, type MoneyText, parseMoney, sha256, type UsdtText } from '@florin/kernel';

/** A thousand without its multiples: a payer who rounds to three decimals would send the amount of another invoice. */
const amountsPerThousand = 999;

/** Decimals 3 to 6 distinguish invoices, without those that end in `000`. */
export const distinctAmounts = 10 * amountsPerThousand;

/** The deposit amount plus the first free number of millionths, searched from the one with the index `draw`. */
export function freePayAmount(
  draw: number,
  depositAmount: MoneyText,
  isTaken: (payAmount: UsdtText) => boolean,
): UsdtText | undefined {
  const deposit = parseMoney(depositAmount) * millionthsPerCent;
  for (let step = 0; step < distinctAmounts; step++) {
    const payAmount = formatUsdt(deposit + millionthsAt((draw + step) % distinctAmounts));
    if (!isTaken(payAmount)) return payAmount;
  }
  return undefined;
}

function millionthsAt(index: number): bigint {
  return BigInt(Math.floor(index / amountsPerThousand) * 1_000 + (index % amountsPerThousand) + 1);
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
