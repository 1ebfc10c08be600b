import type { CommandBus, EventStore } from '@florin/event-sourcing';
import { deterministicId } from '@florin/kernel';
import type { DefineProduct, Product } from '@florin/operations-domain';
import { execute, hasEvents } from './demo-log';

const cardFees = { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } };
const card = { kind: 'card', currency: 'USD', fee: cardFees, minimumAmount: '10.00', available: true } as const;

/** The products of a new installation. */
const catalogue: readonly Product[] = [
  { ...card, productId: 'virtual-usd', name: 'Virtual card' },
  { ...card, productId: 'business-usd', name: 'Business card' },
  {
    productId: 'courier-delivery',
    kind: 'service',
    name: 'Courier delivery',
    currency: 'USD',
    fee: { service: { fixed: '0.00', percent: '0' } },
    minimumAmount: '1.00',
    available: true,
  },
];

/** Defines the demo products that do not exist yet; products that an operator has changed are not touched. */
export async function seedCatalog(bus: CommandBus, store: EventStore): Promise<void> {
  for (const product of catalogue) {
    if (await hasEvents(store, `product-${product.productId}`)) continue;
    const requestId = deterministicId('demo product', product.productId);
    const command: DefineProduct = { type: 'DefineProduct', data: { ...product, requestId } };
    const refusal = await execute(bus, { context: 'operations', key: product.productId, command });
    if (refusal) throw new Error(`The demo product ${product.name} could not be defined: ${refusal.message}`);
  }
}
