import { eventCodec, type Projection } from '@florin/event-sourcing';
import { addressAggregate, addressEventVersions } from '@florin/invoicing-domain';
import type { PoolClient } from 'pg';
import { applyToDeposits, type DepositRows, saveDeposits } from './deposit-rows';

const codec = eventCodec(addressEventVersions);

/** All deposits at Florin's addresses, matched or not. */
export const depositsProjection: Projection<PoolClient> = {
  name: 'deposits',
  categories: [addressAggregate.category],
  project: async (events, tx) => {
    const rows: DepositRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      applyToDeposits(rows, event, recorded.revision, metadata.recordedAt, metadata.actor);
    }
    await saveDeposits(rows.values(), tx);
  },
};
