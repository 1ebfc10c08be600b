import type { EventStore, RecordedEvent } from '@florin/event-sourcing';

/** The adapter is loaded on demand, as in the commands. */
const adapter = () => import('@florin/event-store-eventstoredb');

export type OpenedEventStoreDb = EventStore & { close(): Promise<void> };

export async function openEventStoreDb(url: string): Promise<OpenedEventStoreDb> {
  const { EventStoreDbEventStore } = await adapter();
  return new EventStoreDbEventStore(url);
}

/** Appends the events of another log in their order. */
export async function appendAll(url: string, events: readonly RecordedEvent[]): Promise<void> {
  const { appendInOrder } = await adapter();
  const store = await openEventStoreDb(url);
  await appendInOrder(store, events).finally(() => store.close());
}

export type FakeServer = Awaited<ReturnType<typeof startFakeEventStoreDb>>;

export async function startFakeEventStoreDb() {
  const { FakeEventStoreDb } = await import('@florin/event-store-eventstoredb/testing');
  return FakeEventStoreDb.start();
}
