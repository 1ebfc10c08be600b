import * as fc from 'fast-check';
import { applyRate, canonicalMoneyText, formatMoney, isMoneyInput, parseMoney } from './money';

describe('money', () => {
  it.each([
    ['10', 1000n],
    ['10.0', 1000n],
    ['10.00', 1000n],
    ['0.01', 1n],
    ['007.5', 750n],
    ['999999999999.99', 99_999_999_999_999n],
  ])('reads %s', (text, money) => {
    expect(parseMoney(canonicalMoneyText(text))).toBe(money);
    expect(canonicalMoneyText(text)).toBe(formatMoney(money));
  });

  it.each(['', '.5', '5.', '1.234', '-1', '+1', '1e3', ' 1', '1 ', '1,00', '1000000000000', '0x10', '١', 10, null])(
    'rejects %p as an amount',
    (text) => expect(isMoneyInput(text)).toBe(false),
  );

  it('writes two decimals, and a sign only for a debit', () => {
    expect([0n, 1n, -1n, 10n, 12345n, -12345n].map(formatMoney)).toEqual([
      '0.00',
      '0.01',
      '-0.01',
      '0.10',
      '123.45',
      '-123.45',
    ]);
  });

  it('is lossless from text and back', () => {
    fc.assert(fc.property(fc.bigInt(), (money) => parseMoney(formatMoney(money)) === money));
  });

  it.each([
    ['0.2 % of 100.00', 10_000n, '0.002', 20n],
    ['1.5 % of 11.00, half a cent up', 1_100n, '0.015', 17n],
    ['a part of a cent below half', 124n, '0.02', 2n],
    ['exactly half a cent', 125n, '0.02', 3n],
    ['0.2 % of more than a double can hold', 99_999_999_999_999_999n, '0.002', 200_000_000_000_000n],
  ])('takes %s', (_, money, rate, expected) => expect(applyRate(money, rate)).toBe(expected));

  it('rounds like exact integer arithmetic', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), fc.integer({ min: 0, max: 10_000 }), (money, rate) => {
        const exact = (money * BigInt(rate) * 2n + 10_000n) / 20_000n;
        expect(applyRate(money, `${rate}e-4`)).toBe(exact);
      }),
    );
  });
});
