import { specFor } from '@florin/event-sourcing/testing';
import { isRefusal } from '@florin/kernel';
import { productAnswer, productDecider } from './product.decider';
import { type DefineProduct, type Product, type ProductDefined, productEventVersions } from './product.messages';

const { given } = specFor(productDecider, productEventVersions);

const virtual: Product = {
  productId: 'virtual-card',
  kind: 'card',
  name: 'Virtual card',
  currency: 'USD',
  fee: { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } },
  minimumAmount: '10.00',
  available: true,
};
const define = (changes: Partial<Product> = {}): DefineProduct => ({
  type: 'DefineProduct',
  data: { ...virtual, ...changes },
});
const defined = (changes: Partial<Product> = {}): ProductDefined => ({
  type: 'ProductDefined',
  data: { ...virtual, ...changes },
});

describe('A product', () => {
  it('is defined, for cards and for services', () => {
    given().when(define()).then(defined());
    const service = { kind: 'service', fee: { service: { fixed: '0.00', percent: '0' } } } as const;
    given().when(define(service)).then(defined(service));
  });

  it('is defined anew whenever something differs, also back again', () => {
    given(defined())
      .when(define({ available: false }))
      .then(defined({ available: false }));
    given(defined(), defined({ available: false }))
      .when(define())
      .then(defined());
    const dearer = { fee: { ...virtual.fee, topup: { fixed: '0.00', percent: '0.3' } } };
    given(defined()).when(define(dearer)).then(defined(dearer));
  });

  it('notes nothing where nothing changes, in whatever order the fields come', () => {
    const { issue, topup } = virtual.fee;
    given(defined())
      .when(define({ fee: { topup, issue } }))
      .then();
  });

  it('answers as it stands', () => {
    const state = [defined(), defined({ name: 'Travel card' })].reduce(
      productDecider.evolve,
      productDecider.initialState(),
    );
    expect(productAnswer(state)).toEqual({ ...virtual, name: 'Travel card' });
    expect(() => productAnswer(undefined)).toThrow(/Invariant/);
  });

  const feeOf = (fixed: string, percent: string) => ({ fee: { issue: { fixed, percent } } });
  it.each<[Partial<Product>, RegExp]>([
    [{ productId: '-card' }, /Product id -card must be/],
    [{ productId: 'Card' }, /Product id/],
    [{ productId: 'c'.repeat(64) }, /Product id/],
    [{ minimumAmount: '10' }, /minimumAmount 10 must be/],
    [{ minimumAmount: '-1.00' }, /minimumAmount/],
    [{ fee: { service: { fixed: '0.00', percent: '0' } } }, /A card product has fees for issue and topup only/],
    [{ kind: 'service' }, /A service product has fees for service only: remove issue/],
    [feeOf('-3.00', '0.2'), /fixed fee of issue, -3.00/],
    [feeOf('3', '0.2'), /fixed fee of issue/],
    [feeOf('3.00', '100'), /percentage of issue, 100/],
    [feeOf('3.00', '-0.2'), /percentage of issue/],
    [feeOf('3.00', '0.2e3'), /percentage of issue/],
    [feeOf('3.00', '0.1234567'), /percentage of issue/],
  ])('is refused with %j', (changes, message) => {
    given(defined()).when(define(changes)).thenRefused('validation_failed');
    const decision = productDecider.decide(define(changes), undefined);
    expect(isRefusal(decision) && decision.message).toMatch(message);
  });
});
