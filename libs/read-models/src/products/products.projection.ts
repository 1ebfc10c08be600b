import { eventCodec, type Projection, type RecordedEvent } from '@florin/event-sourcing';
import { parseMoney } from '@florin/kernel';
import { productAggregate, productEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { type FoldedRow, rowToChange, writerOfFoldedRows } from '../folded-rows';

const codec = eventCodec(productEventVersions);

/** The product catalog. Each definition is complete, so the newest one replaces the row. */
export const productsProjection: Projection<PoolClient> = {
  name: 'products',
  categories: [productAggregate.category],
  project: async (events, tx) => {
    const rows: ProductRows = new Map();
    for (const recorded of events) applyProductEvent(rows, recorded);
    await saveProducts(rows.values(), tx);
  },
};

export type ProductRows = Map<string, FoldedRow>;

export function applyProductEvent(rows: ProductRows, recorded: RecordedEvent): void {
  const product = codec.decode(recorded).event.data;
  const { revision } = recorded;
  const minimumAmount = parseMoney(product.minimumAmount);
  const row = { ...product, id: product.productId, isWhole: true, revision, minimumAmount };
  rowToChange(rows, row.id, revision, row);
}

const saveProducts = writerOfFoldedRows('read_models.products', {
  id: ['text', 'settled'],
  kind: ['text', 'replaced'],
  name: ['text', 'replaced'],
  currency: ['text', 'replaced'],
  fee: ['jsonb', 'replaced'],
  minimumAmount: ['bigint', 'replaced'],
  available: ['boolean', 'replaced'],
});
