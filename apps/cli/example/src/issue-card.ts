import type { Florin, Operation } from '@florin/sdk';

/** Your own order of a card. */
export interface CardOrder {
  /** Unique: all idempotency keys are derived from it, so that an order can be repeated after a crash. */
  readonly orderId: string;
  readonly customer: { readonly id: string; readonly name: string; readonly email: string };
  readonly amount: string;
}

/** Issues a card at the current price and waits for the outcome. Repeating it with the same order has no second effect. */
export async function issueCard(florin: Florin, { orderId, customer, amount }: CardOrder): Promise<Operation> {
  const { id: externalId, name, email } = customer;
  const holder = await florin.holders.create(
    { kind: 'individual', externalId, name, email },
    { idempotencyKey: `${orderId}-holder` },
  );
  const card = { type: 'issue', productId: 'virtual-usd', holderId: holder.id, amount } as const;
  const { total } = await florin.quotes.create(card, { idempotencyKey: `${orderId}-quote` });
  const operation = await florin.operations.create(
    { ...card, expectedTotal: total, metadata: { orderId } },
    { idempotencyKey: `${orderId}-card` },
  );
  return florin.operations.waitFor(operation.id);
}
