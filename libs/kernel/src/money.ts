import Decimal from 'decimal.js';
import { assert } from './assert';

/**
 * An amount of money in minor units (cents of a US dollar). A bigint adds about ten times faster than a decimal object and
 * cannot lose a cent; docs/adr/0003-money-as-bigint.md has the measurements.
 */
export type Money = bigint;

/** The same amount in JSON: always two decimals, and a minus sign only for a negative delta. */
export type MoneyText = string;

const inputPattern = /^\d{1,12}(\.\d{1,2})?$/;
const leadingZeros = /^0+(?=\d)/;
const storedPattern = /^-?\d+\.\d{2}$/;

export function isMoneyInput(text: unknown): text is string {
  return typeof text === 'string' && inputPattern.test(text);
}

/** Client input in Florin's format, without converting it to a number: `10`, `10.0` and `10.00` are the same amount. */
export function canonicalMoneyText(text: string): MoneyText {
  assert(isMoneyInput(text), () => `not an amount: ${text}`);
  const [whole = '0', fraction = ''] = text.split('.');
  return `${whole.replace(leadingZeros, '')}.${fraction.padEnd(2, '0')}`;
}

/** Parses the output of `formatMoney`. */
export function parseMoney(text: MoneyText): Money {
  assert(storedPattern.test(text), () => `not a stored amount: ${text}`);
  return BigInt(text.slice(0, -3) + text.slice(-2));
}

export function formatMoney(money: Money): MoneyText {
  const negative = money < 0n;
  const digits = (negative ? -money : money).toString().padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** 40 digits represent any amount times any rate exactly, so the only rounding is the one below. */
const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });

/** `applyRate(10000n, '0.002')` is 0.2 % of 100.00, rounded half-up to the cent. */
export function applyRate(money: Money, rate: string): Money {
  return BigInt(new Exact(money.toString()).times(rate).toDecimalPlaces(0).toFixed(0));
}
