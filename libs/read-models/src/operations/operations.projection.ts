import { eventCodec, type Projection } from '@florin/event-sourcing';
import type { EventVersions } from '@florin/kernel';
import { accountAggregate, accountEventVersions, type FundsReserved } from '@florin/ledger-domain';
import { operationAggregate, type OperationEvent, operationEventVersions, orderIn } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { applyOperationEvent, type OperationRows, rowOf, saveOperations } from './operation-rows';

const { FundsReserved } = accountEventVersions;
const versions: EventVersions<OperationEvent | FundsReserved> = { ...operationEventVersions, FundsReserved };
const codec = eventCodec(versions);

/**
 * One row per operation, written once per batch. An operation is visible as soon as its funds are reserved, before its own
 * stream begins; the row of a reservation never replaces one of that stream.
 */
export const operationsProjection: Projection<PoolClient> = {
  name: 'operations',
  categories: [operationAggregate.category, accountAggregate.category],
  eventTypes: Object.keys(versions),
  project: async (events, tx) => {
    const accepted: OperationRows = new Map();
    const rows: OperationRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      if (event.type !== 'FundsReserved') {
        applyOperationEvent(rows, event, recorded.revision, metadata.recordedAt, metadata.actor);
        continue;
      }
      const order = orderIn(event.data);
      if (order !== undefined) accepted.set(order.operationId, rowOf(order, metadata.recordedAt));
    }
    for (const [id, { isWhole }] of rows) if (isWhole) accepted.delete(id);
    await saveOperations(accepted.values(), tx);
    await saveOperations(rows.values(), tx);
  },
};
