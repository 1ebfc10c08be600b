import { eventCodec, type Projection } from '@florin/event-sourcing';
import type { KeyWrapper } from '@florin/kernel';
import { holderAggregate, holderEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { applyHolderEvent, hasDetails, loadHolderKeys, loadHolders, saveHolders } from './holder-rows';

const codec = eventCodec(holderEventVersions);

export const holdersProjectionName = 'holders';

/**
 * Cardholders with their names in plain text. Reads the keys in the transaction that writes the rows, so no rebuild
 * restores a name after its key is destroyed.
 */
export const holdersProjection = (vaultKeys: KeyWrapper): Projection<PoolClient> => ({
  name: holdersProjectionName,
  categories: [holderAggregate.category],
  project: async (recorded, tx) => {
    if (recorded.length === 0) return;
    const events = recorded.map((one) => {
      const { event, metadata } = codec.decode(one);
      return { event, revision: one.revision, recordedAt: metadata.recordedAt };
    });
    const detailed = events.filter(({ event }) => hasDetails(event));
    const rows = await loadHolders(events.map(idOf), tx);
    const keys = await loadHolderKeys(detailed.map(idOf), tx, vaultKeys);
    for (const { event, ...position } of events) applyHolderEvent(rows, keys, event, position);
    await saveHolders(rows.values(), tx);
  },
});

function idOf({ event }: { readonly event: { readonly data: { readonly holderId: string } } }): string {
  return event.data.holderId;
}
