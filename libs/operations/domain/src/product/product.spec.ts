import { specFor } from '@florin/event-sourcing/testing';
import { isRefusal, noRequests } from '@florin/kernel';
import { productAnswer, productAggregate } from './product.decider';
import { type DefineProduct, type Product, type ProductDefined } from './product.messages';

const { given } = specFor(productAggregate);

const virtual: Product = {
  productId: 'virtual-card',
  kind: 'card',
  name: 'Virtual card',
  currency: 'USD',
  fee: { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } },
  minimumAmount: '10.00',
  available: true,
};
const define = (changes: Partial<Product> = {}, requestId = 'q1'): DefineProduct => ({
  type: 'DefineProduct',
  data: { ...virtual, ...changes, requestId },
});
const defined = (changes: Partial<Product> = {}, requestId = 'q1'): ProductDefined => ({
  type: 'ProductDefined',
  data: { ...virtual, ...changes, requestId },
});

describe('A product', () => {
  it('is defined for cards and for services', () => {
    given().when(define()).then(defined());
    const service = { kind: 'service', fee: { service: { fixed: '0.00', percent: '0' } } } as const;
    given().when(define(service)).then(defined(service));
  });

  it('is redefined by every new request, also with earlier terms', () => {
    const unavailable = { available: false };
    given(defined()).when(define(unavailable, 'q2')).then(defined(unavailable, 'q2'));
    given(defined(), defined(unavailable, 'q2')).when(define({}, 'q3')).then(defined({}, 'q3'));
    const higherFee = { fee: { ...virtual.fee, topup: { fixed: '0.00', percent: '0.3' } } };
    given(defined()).when(define(higherFee, 'q2')).then(defined(higherFee, 'q2'));
    given(defined()).when(define({}, 'q2')).then(defined({}, 'q2'));
  });

  it('does not return to old terms when an applied request is repeated', () => {
    given(defined(), defined({ available: false }, 'q2'))
      .when(define())
      .then();
  });

  it('applies events without request ids', () => {
    const old: ProductDefined = { type: 'ProductDefined', data: virtual };
    const state = productAggregate.evolve(productAggregate.initialState(), old);
    expect(state).toEqual({ product: virtual, requests: noRequests() });
    given(old).when(define()).then(defined());
  });

  it('returns its newest definition', () => {
    const state = [defined(), defined({ name: 'Travel card' })].reduce(
      productAggregate.evolve,
      productAggregate.initialState(),
    );
    expect(productAnswer(state)).toEqual({ ...virtual, name: 'Travel card' });
    expect(() => productAnswer(productAggregate.initialState())).toThrow(/Invariant/);
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
    given(defined()).when(define(changes, 'q2')).thenRefused('validation_failed');
    const decision = productAggregate.decide(define(changes), productAggregate.initialState());
    expect(isRefusal(decision) && decision.message).toMatch(message);
  });
});
