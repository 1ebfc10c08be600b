import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type EventStoreKind = 'postgres' | 'eventstoredb';

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'event-store');

/** Where a data folder says that its events are; undefined where nobody has marked it. */
export function markedEventStore(dataDirectory: string): string | undefined {
  const file = fileIn(dataDirectory);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

export function writeEventStoreMark(dataDirectory: string, kind: EventStoreKind): void {
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(fileIn(dataDirectory), `${kind}\n`);
}
