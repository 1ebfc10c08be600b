import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { binaryEvent } from '@eventstore/db-client';
import { noStream, type Position } from '@florin/event-sourcing';
import { eventStoreContract, newEvent, newStream } from '@florin/event-sourcing/testing';
import { Connection } from './connection';
import { EventStoreDbEventStore, type EventStoreDbEventStoreOptions } from './eventstoredb-event-store.adapter';
import { createClient } from './renewable-client';
import { FakeEventStoreDb } from './testing';
import { OffsetEventStore } from './testing/offset-event-store';

// Client, server and gRPC share this one process.
jest.setTimeout(30_000);

function storesOn(url: string) {
  const stores: EventStoreDbEventStore[] = [];
  return {
    open: (options?: EventStoreDbEventStoreOptions): EventStoreDbEventStore => {
      const store = new EventStoreDbEventStore(url, options);
      stores.push(store);
      return store;
    },
    close: async (): Promise<void> => {
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

  it('finds the newest event in a new process without reading thousands of events of the server', async () => {
    const { open, close } = storesOn(url);
    const writer = open();
    const append = async (): Promise<Position> => {
      await writer.append(newStream(), noStream, [newEvent()]);
      return writer.head();
    };
    const furthest = await append();
    await writeServerEvents(url, 3_000);
    const newest = await append();
    await writeServerEvents(url, 3_000);

    const reads = (['readNewest', 'readAll'] as const).map((method) => jest.spyOn(Connection.prototype, method));
    expect(await open({ furthestPosition: async () => furthest }).head()).toBe(newest);
    const pages = await Promise.all(reads.flatMap(({ mock }) => mock.results.map(({ value }) => value)));
    for (const spy of reads) spy.mockRestore();
    expect(pages.flat().length).toBeLessThan(1_100);

    // As after a copy of another store.
    expect(await open({ furthestPosition: async () => furthest + 1n }).head()).toBe(newest);
    await close();
  });
});

async function writeServerEvents(url: string, count: number): Promise<void> {
  const client = createClient(url);
  const events = Array.from({ length: count }, () => binaryEvent({ type: '$test', data: Buffer.alloc(100) }));
  await client.appendToStream('$test', events);
  await client.dispose();
}
