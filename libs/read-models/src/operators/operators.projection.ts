import { operatorAggregate, operatorEventVersions } from '@florin/companies-domain';
import { eventCodec, type Projection } from '@florin/event-sourcing';
import type { KeyWrapper } from '@florin/kernel';
import type { PoolClient } from 'pg';
import { loadHolderKeys } from '../holders/holder-rows';
import { applyOperatorEvent, loadOperators, saveOperators } from './operator-rows';

const codec = eventCodec(operatorEventVersions);

export const operatorsProjectionName = 'operators';

/**
 * Operators with their names in plain text. Reads the keys in the transaction that writes the rows, so no rebuild
 * restores a name after its key is destroyed.
 */
export const operatorsProjection = (vaultKeys: KeyWrapper): Projection<PoolClient> => ({
  name: operatorsProjectionName,
  categories: [operatorAggregate.category],
  project: async (recorded, tx) => {
    if (recorded.length === 0) return;
    const events = recorded.map((one) => ({ ...codec.decode(one), revision: one.revision }));
    const created = events.filter(({ event }) => event.type === 'OperatorCreated');
    const rows = await loadOperators(events.map(idOf), tx);
    const keys = await loadHolderKeys(created.map(idOf), tx, vaultKeys);
    for (const { event, revision, metadata } of events) {
      const { recordedAt, actor = null } = metadata;
      applyOperatorEvent(rows, keys, event, { revision, recordedAt, actor });
    }
    await saveOperators(rows.values(), tx);
  },
});

function idOf({ event }: { readonly event: { readonly data: { readonly operatorId: string } } }): string {
  return event.data.operatorId;
}
