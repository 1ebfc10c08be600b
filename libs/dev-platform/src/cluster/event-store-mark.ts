import { type EventStoreKind, markedEventStore } from '@florin/database';

/** Rejects a folder that is marked with another event store before any server starts. The services check the database. */
export function requireMarkedEventStore(dataDirectory: string, kind: EventStoreKind): void {
  const marked = markedEventStore(dataDirectory);
  if (marked === undefined || marked === kind) return;
  throw new Error(
    `The folder ${dataDirectory} keeps its events in ${marked}, not in ${kind}; ` +
      `start with --event-store ${marked}, or choose another folder with --data.`,
  );
}
