import type { CommandBus, CommandReply, EventStore } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import type { DefineProduct, Product } from '@florin/operations-domain';

const cardFees = { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } };
const card = { kind: 'card', currency: 'USD', fee: cardFees, minimumAmount: '10.00', available: true } as const;

/** What can be ordered on a fresh start. */
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

/** Defines the products of the demo that do not exist yet: what an operator has changed stays as it is. */
export async function seedCatalogue(bus: CommandBus, store: EventStore): Promise<void> {
  for (const product of catalogue) {
    if ((await lengthOf(store, `product-${product.productId}`)) > 0) continue;
    const id = randomId();
    const command: DefineProduct = { type: 'DefineProduct', data: product };
    const headers = { correlationId: id, causationId: 'demo-data' };
    const message = { context: 'operations', key: product.productId, id, command, headers };
    const reply = await bus.request<CommandReply<unknown>>(message);
    if (!reply.ok) throw new Error(`The demo product ${product.name} could not be made: ${reply.refusal.message}`);
  }
}

/** How many events a stream has. */
export async function lengthOf(store: EventStore, stream: string): Promise<number> {
  let length = 0;
  for await (const page of store.readStream(stream)) length += page.length;
  return length;
}
