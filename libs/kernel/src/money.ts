import Decimal from 'decimal.js';
import { assert } from './assert';

/**
 * An amount of money in minor units (cents of a US dollar). A bigint adds about ten times faster than a decimal object and
 * cannot lose a cent; docs/adr/0003-money-as-bigint.md has the measurements.
 */
export type Money = bigint;

/** The same amount as it stands in JSON: always two decimals, a minus sign only where a delta is negative. */
export type MoneyText = string;

const inputPattern = /^\d{1,12}(\.\d{1,2})?$/;
const leadingZeros = /^0+(?=\d)/;
const storedPattern = /^-?\d+\.\d{2}$/;

export function isMoneyInput(text: unknown): text is string {
  return typeof text === 'string' && inputPattern.test(text);
}

/** Reads what a client wrote: `10`, `10.0` and `10.00` are the same amount. */
export function parseMoneyInput(text: string): Money {
  return parseMoney(canonicalMoneyText(text));
}

/** The same amount as Florin writes it, without a detour through numbers. */
export function canonicalMoneyText(text: string): MoneyText {
  assert(isMoneyInput(text), () => `not an amount: ${text}`);
  const [whole = '0', fraction = ''] = text.split('.');
  return `${whole.replace(leadingZeros, '')}.${fraction.padEnd(2, '0')}`;
}

/** Reads what Florin itself wrote with `formatMoney`. */
export function parseMoney(text: MoneyText): Money {
  assert(storedPattern.test(text), () => `not a stored amount: ${text}`);
  return BigInt(text.slice(0, -3) + text.slice(-2));
}

export function formatMoney(money: Money): MoneyText {
  const negative = money < 0n;
  const digits = (negative ? -money : money).toString().padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** 40 digits hold any amount times any rate exactly, so that the only rounding is the one written below. */
const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });

/** `applyRate(10000n, '0.002')` is 0.2 % of 100.00, rounded half-up to the cent. */
export function applyRate(money: Money, rate: string): Money {
  return BigInt(new Exact(money.toString()).times(rate).toDecimalPlaces(0).toFixed(0));
}
