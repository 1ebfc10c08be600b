import { runWithRedeliveries } from '@florin/event-sourcing/testing';
import * as fc from 'fast-check';
import { productAggregate } from './product.decider';
import type { DefineProduct, Product } from './product.messages';

const product: Product = {
  ...{
    productId: 'virtual-card',
    kind: 'card',
    name: 'Virtual card',
    currency: 'USD',
    fee: {},
    minimumAmount: '10.00',
  },
  available: true,
};

const definitions = fc
  .array(fc.record({ name: fc.constantFrom('One', 'Two'), available: fc.boolean() }), { minLength: 1, maxLength: 20 })
  .map((list) =>
    list.map((parts, index): DefineProduct => {
      return { type: 'DefineProduct', data: { ...product, ...parts, requestId: `q${index}` } };
    }),
  );

it('A product has its newest definition when old definitions are redelivered in any order', () => {
  fc.assert(
    fc.property(definitions, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (list, again) => {
      const log = runWithRedeliveries(productAggregate, list, again);
      const { requestId: _, ...last } = list.at(-1)!.data;
      expect(log.reduce(productAggregate.evolve, productAggregate.initialState()).product).toEqual(last);
    }),
  );
});
