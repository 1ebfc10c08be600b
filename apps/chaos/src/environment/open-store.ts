import type { EventStore } from '@florin/event-sourcing';
import { EventStoreDbEventStore } from '@florin/event-store-eventstoredb';
import { PostgresEventStore } from '@florin/event-store-postgres';
import type { ChaosDatabase } from './chaos-database';
import type { ChaosEventStore } from './chaos-event-store';

export type OpenStore = EventStore & { close(): Promise<void> };

/** The log of the product, for the checks. */
export function openStore({
  database,
  eventStore,
}: {
  readonly database: ChaosDatabase;
  readonly eventStore?: ChaosEventStore;
}): OpenStore {
  if (eventStore === undefined) return new PostgresEventStore(database.connection);
  return new EventStoreDbEventStore(eventStore.url);
}
