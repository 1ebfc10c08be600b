import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { eventStoreContract } from '@florin/event-sourcing/testing';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';
import { FakeEventStoreDb } from './testing';
import { OffsetEventStore } from './testing/offset-event-store';

// Client, server and gRPC share this one process.
jest.setTimeout(30_000);

function storesOn(url: string): { open: () => EventStoreDbEventStore; close: () => Promise<void> } {
  const stores: EventStoreDbEventStore[] = [];
  return {
    open: () => {
      const store = new EventStoreDbEventStore(url);
      stores.push(store);
      return store;
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

eventStoreContract('EventStoreDbEventStore on the fake server', async () => {
  const server = await FakeEventStoreDb.start();
  const { open, close } = storesOn(server.url);
  return {
    store: open(),
    openAnother: async () => open(),
    close: async () => {
      await close();
      await server.stop();
    },
  };
});

const existingServer = process.env.EVENTSTORE_URL;
const describeOnRealServer = existingServer === undefined ? describeWithEventStoreDb : describe;

describeOnRealServer('With a real server,', () => {
  let url = existingServer ?? '';
  let remove = async (): Promise<void> => undefined;

  beforeAll(async () => {
    if (existingServer !== undefined) return;
    // Frequent statistics, so that system events are between those of the contract.
    const started = await startTestEventStoreDb('--mem-db', '--stats-period-sec', '1');
    url = started.server.url;
    remove = started.remove;
  }, EVENTSTOREDB_TIMEOUT_MS);
  afterAll(() => remove());

  eventStoreContract('EventStoreDbEventStore', async () => {
    const { open, close } = storesOn(url);
    const store = open();
    const start = await store.head();
    return {
      store: new OffsetEventStore(store, start),
      openAnother: async () => new OffsetEventStore(open(), start),
      close,
    };
  });
});
