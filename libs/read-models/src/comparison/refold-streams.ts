import { categoryOf, type EventStore } from '@florin/event-sourcing';
import { accountAggregate } from '@florin/ledger-domain';
import { isProcessed, type SetAside, type Shards } from './projection-positions';
import type { ReadModelFold } from './folded-table';
import { readModelFolds } from './read-model-folds';
import { isPartial } from './forgetting-comparison';

export interface Refolded {
  readonly name: string;
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly fold: ReadModelFold;
  readonly folded: Shards;
  readonly setAside: SetAside;
}

/**
 * Completes the rows that had been forgotten when events in these streams changed them: folds the streams from their beginning.
 * Accounts have no such rows: their entries never change.
 */
export async function refoldStreams(
  { name, eventTypes, fold, folded, setAside }: Refolded,
  streams: Iterable<string>,
  store: Pick<EventStore, 'readStream'>,
): Promise<void> {
  const partial = fold.tables.flatMap(({ forgotten, rows }) => (forgotten ? [...rows.values()].filter(isPartial) : []));
  if (partial.length === 0) return;
  const fresh = readModelFolds[name]!();
  for (const stream of streams) {
    if (categoryOf(stream) === accountAggregate.category) continue;
    for await (const events of store.readStream(stream)) {
      for (const event of events) {
        if (eventTypes?.has(event.type) === false || !isProcessed(event, folded, setAside)) continue;
        fresh.apply(event);
      }
    }
  }
  for (const [index, { rows, forgotten }] of fold.tables.entries()) {
    for (const [id, row] of rows) {
      const whole = isPartial(row) ? fresh.tables[index]!.rows.get(id) : undefined;
      if (whole === undefined) continue;
      rows.set(id, whole);
      forgotten?.refolded.add(id);
    }
  }
}
