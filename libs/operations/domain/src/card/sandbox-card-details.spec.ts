import { randomId } from '@florin/kernel';
import fc from 'fast-check';
import { sandboxCardDetails } from './sandbox-card-details';

describe('The details of a sandbox card', () => {
  it('are the same each time', () => {
    const cardId = randomId();
    expect(sandboxCardDetails(cardId, '0042')).toEqual(sandboxCardDetails(cardId, '0042'));
    expect(sandboxCardDetails(cardId, '0042')).not.toEqual(sandboxCardDetails(randomId(), '0042'));
  });

  it('have a valid check digit, the last digits of the card, and the prefix of test cards', () => {
    const last4 = fc.integer({ min: 0, max: 9_999 }).map((digits) => String(digits).padStart(4, '0'));
    fc.assert(
      fc.property(fc.uuid(), last4, (cardId, digits) => {
        const { number, expiry, cvc } = sandboxCardDetails(cardId, digits);
        expect(number).toMatch(/^424242\d{10}$/);
        expect(number.slice(-4)).toBe(digits);
        expect(isValid(number)).toBe(true);
        expect(expiry).toMatch(/^\d\d\/\d\d$/);
        expect(cvc).toMatch(/^\d{3}$/);
      }),
    );
  });
});

/** The Luhn algorithm with a table of the doubled digits. */
function isValid(number: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  let sum = 0;
  for (let index = 0; index < number.length; index++) {
    const digit = Number(number[number.length - 1 - index]);
    sum += index % 2 === 1 ? doubled[digit]! : digit;
  }
  return sum % 10 === 0;
}
