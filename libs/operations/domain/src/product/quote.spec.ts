import { formatMoney, parseMoney } from '@florin/kernel';
import * as fc from 'fast-check';
import type { PricedType } from '../operation/operation.messages';
import type { Product } from './product.messages';
import { quoteOf } from './quote';

const card: Product = {
  productId: 'virtual',
  kind: 'card',
  name: 'Virtual card',
  currency: 'USD',
  fee: { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } },
  minimumAmount: '10.00',
  available: true,
};
const service: Product = { ...card, kind: 'service', fee: { service: { fixed: '0.00', percent: '0' } } };

describe('A quote', () => {
  it.each<[PricedType, Product, string, string, string]>([
    ['issue', card, '100.00', '3.20', '103.20'],
    ['topup', card, '100.00', '0.20', '100.20'],
    ['service', service, '100.00', '0.00', '100.00'],
    ['issue', card, '10.00', '3.02', '13.02'],
    // Rounds half a cent up.
    ['topup', card, '12.50', '0.03', '12.53'],
    ['topup', card, '12.49', '0.02', '12.51'],
    ['topup', card, '0.01', '0.00', '0.01'],
    ['topup', card, '999999999999.99', '2000000000.00', '1001999999999.99'],
  ])('of %s, case %#', (type, product, amount, fee, total) => {
    expect(quoteOf(product, type, amount)).toMatchObject({ amount, fee, total });
  });

  it('contains the breakdown of the total', () => {
    expect(quoteOf(card, 'issue', '100.00')?.breakdown).toEqual([
      { kind: 'amount', amount: '100.00' },
      { kind: 'fixed_fee', amount: '3.00' },
      { kind: 'percent_fee', amount: '0.20' },
    ]);
  });

  it('is undefined for a type that the product does not offer', () => {
    expect(quoteOf(card, 'service', '100.00')).toBeUndefined();
    expect(quoteOf(service, 'topup', '100.00')).toBeUndefined();
  });

  it('adds up, and rounds half-up to the cent, for any amount and terms', () => {
    const cents = fc.bigInt({ min: 0n, max: 99_999_999_999_999n });
    // In millionths of a percent, to verify the rule with integer arithmetic.
    const millionths = fc.bigInt({ min: 0n, max: 99_999_999n });
    fc.assert(
      fc.property(cents, fc.bigInt({ min: 0n, max: 100_000n }), millionths, (amount, fixed, rate) => {
        const percent = `${rate / 1_000_000n}.${(rate % 1_000_000n).toString().padStart(6, '0')}`;
        const terms = { fixed: formatMoney(fixed), percent };
        const quote = quoteOf({ ...card, fee: { issue: terms } }, 'issue', formatMoney(amount))!;
        const percentFee = (amount * rate * 2n + 100_000_000n) / 200_000_000n;
        expect(parseMoney(quote.fee)).toBe(fixed + percentFee);
        expect(parseMoney(quote.total)).toBe(amount + fixed + percentFee);
        const lines = quote.breakdown.reduce((sum, line) => sum + parseMoney(line.amount), 0n);
        expect(lines).toBe(parseMoney(quote.total));
      }),
      { numRuns: 500 },
    );
  });
});
