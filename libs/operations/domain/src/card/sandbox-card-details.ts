import { sha256 } from '@florin/kernel';

/** What a cardholder needs to pay. */
export interface CardDetails {
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
}

const testPrefix = '424242';
const numberLength = 16;

/**
 * The details of a sandbox card, derived from its id and its last digits, so that they are stored nowhere. The number has a valid
 * check digit and begins with a prefix that no live card has.
 */
export function sandboxCardDetails(cardId: string, last4: string): CardDetails {
  const hash = sha256(`sandbox card ${cardId}`);
  const middle = digitsOf(hash.slice(0, 12), numberLength - testPrefix.length - last4.length - 1);
  const candidates = Array.from({ length: 10 }, (_, digit) => `${testPrefix}${middle}${digit}${last4}`);
  // Exactly one of ten digits at a fixed place makes the sum a multiple of ten.
  const number = candidates.find((candidate) => luhnSum(candidate) % 10 === 0)!;
  return { number, expiry: '12/39', cvc: digitsOf(hash.slice(12, 20), 3) };
}

function digitsOf(hex: string, count: number): string {
  return (Number.parseInt(hex, 16) % 10 ** count).toString().padStart(count, '0');
}

function luhnSum(number: string): number {
  return [...number].reverse().reduce((sum, text, index) => {
    const digit = Number(text) * (index % 2 === 0 ? 1 : 2);
    return sum + (digit > 9 ? digit - 9 : digit);
  }, 0);
}
