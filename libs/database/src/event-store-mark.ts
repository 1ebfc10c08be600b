import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type EventStoreKind = 'postgres' | 'eventstoredb';

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'event-store');

/** The event store that a data folder is marked with; undefined without a mark. */
export function markedEventStore(dataDirectory: string): string | undefined {
  const file = fileIn(dataDirectory);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

export function writeEventStoreMark(dataDirectory: string, kind: EventStoreKind): void {
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(fileIn(dataDirectory), `${kind}\n`);
}
