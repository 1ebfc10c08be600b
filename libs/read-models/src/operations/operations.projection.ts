import { eventCodec, type Projection } from '@florin/event-sourcing';
import { operationDecider, operationEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { applyOperationEvent, type OperationRows, saveOperations } from './operation-rows';

const codec = eventCodec(operationEventVersions);

/** What became of every operation. All that a batch says about one of them is written once. */
export const operationsProjection: Projection<PoolClient> = {
  name: 'operations',
  categories: [operationDecider.category],
  project: async (events, tx) => {
    const rows: OperationRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      applyOperationEvent(rows, event, recorded.revision, metadata.recordedAt);
    }
    await saveOperations(rows.values(), tx);
  },
};
