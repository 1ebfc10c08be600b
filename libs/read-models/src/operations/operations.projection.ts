import { eventCodec, type Projection } from '@florin/event-sourcing';
import type { EventVersions } from '@florin/kernel';
import { accountDecider, accountEventVersions, type FundsReserved } from '@florin/ledger-domain';
import { isOrderOf, operationDecider, type OperationEvent, operationEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { acceptedRow, applyOperationEvent, type OperationRows, saveOperations } from './operation-rows';

const { FundsReserved } = accountEventVersions;
const versions: EventVersions<OperationEvent | FundsReserved> = { ...operationEventVersions, FundsReserved };
const codec = eventCodec(versions);

/**
 * What became of every operation. All that a batch says about one of them is written once. A client is answered as soon as
 * the funds are held, and so an operation is shown from then on.
 */
export const operationsProjection: Projection<PoolClient> = {
  name: 'operations',
  categories: [operationDecider.category, accountDecider.category],
  eventTypes: Object.keys(versions),
  project: async (events, tx) => {
    const accepted: OperationRows = new Map();
    const rows: OperationRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      if (event.type !== 'FundsReserved') {
        applyOperationEvent(rows, event, recorded.revision, metadata.recordedAt);
      } else if (isOrderOf(event.data.reservationId, event.data.purpose)) {
        accepted.set(event.data.reservationId, acceptedRow(event.data.purpose, metadata.recordedAt));
      }
    }
    for (const [id, { isWhole }] of rows) if (isWhole) accepted.delete(id);
    await saveOperations(accepted.values(), tx);
    await saveOperations(rows.values(), tx);
  },
};
