import { assert } from './assert';

/** An amount of USDT in millionths, which is what its contract counts in. */
export type Usdt = bigint;

/** The same amount as it stands in JSON: always six decimals. It is never rounded and never shortened. */
export type UsdtText = string;

const storedPattern = /^\d+\.\d{6}$/;

/** Reads what Florin itself wrote with `formatUsdt`. */
export function parseUsdt(text: UsdtText): Usdt {
  assert(storedPattern.test(text), () => `not a stored amount of USDT: ${text}`);
  return BigInt(text.slice(0, -7) + text.slice(-6));
}

export function formatUsdt(usdt: Usdt): UsdtText {
  assert(usdt >= 0n, () => `an amount of USDT is never negative: ${usdt}`);
  const digits = usdt.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
