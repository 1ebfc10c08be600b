import { expectBoundedRequests, expectPinnedState } from '@florin/event-sourcing/testing';
import { productAggregate } from './product.decider';
import type { Product, ProductCommand, ProductEvent } from './product.messages';

const product: Product = {
  ...{ productId: 'virtual', kind: 'card', name: 'Virtual card', currency: 'USD', minimumAmount: '10.00' },
  ...{ fee: { issue: { fixed: '3.00', percent: '0.2' } }, available: true },
};

describe('The state of a product in a snapshot', () => {
  const history: readonly ProductEvent[] = [
    // As old releases stored them.
    { type: 'ProductDefined', data: product },
    { type: 'ProductDefined', data: { ...product, requestId: 'r1' } },
    { type: 'ProductDefined', data: { ...product, requestId: 'r2', requestedAt: '2030-01-01T00:00:00.000Z' } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(productAggregate, history, {
      stateVersion: 1,
      hash: '8f9903a0effa990537a532f3c0a9e5976a11a5cd2435a0174336037a103c3137',
    });
  });

  it('has the newest requests', () => {
    expectBoundedRequests(productAggregate, [], (requestId, requestedAt): ProductCommand => ({
      type: 'DefineProduct',
      data: { ...product, requestId, requestedAt },
    }));
  });
});
