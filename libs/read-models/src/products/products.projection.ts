import { eventCodec, type Projection } from '@florin/event-sourcing';
import { type Money, parseMoney } from '@florin/kernel';
import { type Product, productDecider, productEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { type FoldedRow, writerOfFoldedRows } from '../folded-rows';

/** With the column names of the table. */
interface ProductRow extends FoldedRow, Pick<Product, 'kind' | 'name' | 'currency' | 'fee' | 'available'> {
  readonly minimum_amount: Money;
}

const codec = eventCodec(productEventVersions);

/** The product catalog. Each definition is complete, so the newest one replaces the row. */
export const productsProjection: Projection<PoolClient> = {
  name: 'products',
  categories: [productDecider.category],
  project: async (events, tx) => {
    const rows = new Map<string, ProductRow>();
    for (const recorded of events) {
      const { productId: id, minimumAmount, requestId: _, ...product } = codec.decode(recorded).event.data;
      const { revision } = recorded;
      if ((rows.get(id)?.revision ?? -1) >= revision) continue;
      rows.set(id, { ...product, id, isWhole: true, revision, minimum_amount: parseMoney(minimumAmount) });
    }
    await saveProducts(rows.values(), tx);
  },
};

const saveProducts = writerOfFoldedRows<ProductRow>('read_models.products', {
  id: ['text', 'settled'],
  kind: ['text', 'replaced'],
  name: ['text', 'replaced'],
  currency: ['text', 'replaced'],
  fee: ['jsonb', 'replaced'],
  minimum_amount: ['bigint', 'replaced'],
  available: ['boolean', 'replaced'],
  revision: ['integer', 'replaced'],
});
