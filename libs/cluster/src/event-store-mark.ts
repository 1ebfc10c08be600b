import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type EventStoreKind = 'postgres' | 'eventstoredb';

/** The read models and checkpoints beside one log mean nothing beside another, so a folder stays with its event store. */
export function markEventStore(dataDirectory: string, kind: EventStoreKind): void {
  const file = join(dataDirectory, 'event-store');
  const earlier = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  const known = earlier ?? (existsSync(join(dataDirectory, 'postgres')) ? 'postgres' : kind);
  if (known !== kind) {
    throw new Error(
      `The folder ${dataDirectory} keeps its events in ${known}, not in ${kind}; ` +
        `start with --event-store ${known}, or choose another folder with --data.`,
    );
  }
  mkdirSync(dataDirectory, { recursive: true });
  if (earlier === undefined) writeFileSync(file, `${kind}\n`);
}
