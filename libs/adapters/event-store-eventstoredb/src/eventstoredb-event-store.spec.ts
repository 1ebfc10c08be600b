import { type EventStoreUnderTest, eventStoreContract } from '@florin/event-sourcing/testing';
import { EventStoreDbTestServer } from '@florin/eventstoredb-test-server';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';
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

eventStoreContract('EventStoreDbEventStore on the test server', async () => {
  const server = await EventStoreDbTestServer.start();
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

const realServer = process.env.EVENTSTORE_URL;

if (realServer !== undefined) {
  eventStoreContract(
    'EventStoreDbEventStore on the server of EVENTSTORE_URL',
    async (): Promise<EventStoreUnderTest> => {
      const { open, close } = storesOn(realServer);
      const store = open();
      const start = await store.head();
      return {
        store: new OffsetEventStore(store, start),
        openAnother: async () => new OffsetEventStore(open(), start),
        close,
      };
    },
  );
}
