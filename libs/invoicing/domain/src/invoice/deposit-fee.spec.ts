import { formatMoney, parseMoney } from '@florin/kernel';
import * as fc from 'fast-check';
import { depositTerms } from './deposit-fee';

it.each([
  ['11.00', '0.17', '10.83'],
  ['10.00', '0.15', '9.85'],
  ['100.00', '1.50', '98.50'],
  // Half a cent is rounded up.
  ['33.00', '0.50', '32.50'],
  ['999999999999.00', '14999999999.99', '984999999999.01'],
])('of %s the fee is %s, and %s is credited', (depositAmount, fee, creditAmount) => {
  expect(depositTerms(depositAmount)).toEqual({ depositAmount, fee, creditAmount });
});

it('splits the deposit into fee and credit without a remainder', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1_000n, max: 10n ** 14n }), (cents) => {
      const { fee, creditAmount } = depositTerms(formatMoney(cents));
      expect(parseMoney(fee) + parseMoney(creditAmount)).toBe(cents);
      // 1.5 % of the cents, and off by half a cent at most.
      const twoHundredths = parseMoney(fee) * 200n - cents * 3n;
      expect(twoHundredths > -100n && twoHundredths <= 100n).toBe(true);
    }),
  );
});
