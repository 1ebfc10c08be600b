import { assert } from './assert';
import type { Money } from './money';

/** An amount of USDT in millionths, the unit of its contract. */
export type Usdt = bigint;

/** The same amount in JSON: always six decimals, never rounded. */
export type UsdtText = string;

/** The millionths in a cent. */
export const millionthsPerCent = 10_000n;

const storedPattern = /^\d+\.\d{6}$/;

/** Parses the output of `formatUsdt`. */
export function parseUsdt(text: UsdtText): Usdt {
  assert(storedPattern.test(text), () => `not a stored amount of USDT: ${text}`);
  return BigInt(text.slice(0, -7) + text.slice(-6));
}

export function formatUsdt(usdt: Usdt): UsdtText {
  assert(usdt >= 0n, () => `an amount of USDT is never negative: ${usdt}`);
  const digits = usdt.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** The whole cents of an amount: what is below a cent is not counted. */
export function wholeCents(usdt: Usdt): Money {
  return usdt / millionthsPerCent;
}
