import { type EventStoreKind, markedEventStore, writeEventStoreMark } from '@florin/database';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A folder keeps its event store: read models and checkpoints are valid only for the log they were built from. */
export function markEventStore(dataDirectory: string, kind: EventStoreKind): void {
  const earlier = markedEventStore(dataDirectory);
  const known = earlier ?? (existsSync(join(dataDirectory, 'postgres')) ? 'postgres' : kind);
  if (known !== kind) {
    throw new Error(
      `The folder ${dataDirectory} keeps its events in ${known}, not in ${kind}; ` +
        `start with --event-store ${known}, or choose another folder with --data.`,
    );
  }
  if (earlier === undefined) writeEventStoreMark(dataDirectory, kind);
}
