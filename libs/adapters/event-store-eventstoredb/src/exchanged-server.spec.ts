import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { beforeFirst, EventStoreMismatch, noStream, openStore, type Position } from '@florin/event-sourcing';
import { allEvents, newEvent, newStream } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';

const writers = 4;
const opener = { service: 'ledger', florinVersion: '1.2.3', clock: systemClock };

describeWithEventStoreDb('An EventStoreDB that is exchanged behind its address during appends', () => {
  let started: Awaited<ReturnType<typeof startTestEventStoreDb>>;
  let store: EventStoreDbEventStore;
  let storeId: string;
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  let isOver = false;
  let writing: Promise<unknown>;

  /** Each append begins a stream, so that no expected revision protects it. */
  const write = async (): Promise<void> => {
    while (!isOver) {
      const event = newEvent();
      await store.append(newStream(), noStream, [event]).then(
        () => acknowledged.push(event.id),
        (error: unknown) => failures.push(error),
      );
    }
  };
  /** Starts the server with another folder. */
  const exchange = async (prepare: (folder: string) => void): Promise<void> => {
    await started.server.kill();
    prepare(started.dataDirectory);
    await started.server.restart();
  };
  const someMore = async (): Promise<void> => {
    const target = acknowledged.length + 50;
    await until(() => acknowledged.length >= target);
  };
  const mismatch = async (difference: string): Promise<void> => {
    const isMismatch = (error: unknown) => error instanceof EventStoreMismatch && error.message.includes(difference);
    await until(() => failures.some(isMismatch));
  };

  /** Another process has read nothing yet, so it can know only from others how far the log went. */
  const appendOfAnother = async (furthestPosition: () => Promise<Position>): Promise<string> => {
    const another = new EventStoreDbEventStore(started.server.url, { retryForMs: 100, furthestPosition });
    try {
      another.expectIdentity(storeId);
      await another.append(newStream(), noStream, [newEvent()]);
      return 'stored';
    } finally {
      await another.close();
    }
  };

  beforeAll(async () => {
    started = await startTestEventStoreDb();
    store = new EventStoreDbEventStore(started.server.url, { retryForMs: 100 });
    storeId = await openStore(store, opener);
    store.expectIdentity(storeId);
    writing = Promise.all(Array.from({ length: writers }, write));
  }, EVENTSTOREDB_TIMEOUT_MS);
  afterAll(async () => {
    isOver = true;
    await writing;
    await store.close();
    await started.remove();
    for (const copy of ['older', 'empty']) rmSync(`${started.dataDirectory}-${copy}`, { recursive: true, force: true });
  }, EVENTSTOREDB_TIMEOUT_MS);

  it(
    'acknowledges nothing that is not in the known store',
    async () => {
      await someMore();
      await exchange((folder) => cpSync(folder, `${folder}-older`, { recursive: true }));
      await someMore();
      const furthest = await store.head();

      await exchange((folder) => {
        renameSync(folder, `${folder}-known`);
        mkdirSync(folder);
      });
      await mismatch('it has no identity');
      await expect(store.probe(10_000)).rejects.toBeInstanceOf(EventStoreMismatch);
      await expect(store.head()).rejects.toBeInstanceOf(EventStoreMismatch);

      await exchange((folder) => {
        renameSync(folder, `${folder}-empty`);
        renameSync(`${folder}-older`, folder);
      });
      await mismatch('so it is an older copy');
      await expect(store.probe(10_000)).rejects.toBeInstanceOf(EventStoreMismatch);
      await expect(appendOfAnother(async () => beforeFirst)).resolves.toBe('stored');
      await expect(appendOfAnother(async () => furthest)).rejects.toThrow('so it is an older copy');

      await exchange((folder) => {
        renameSync(folder, `${folder}-older`);
        renameSync(`${folder}-known`, folder);
      });
      await someMore();
      await store.probe(10_000);

      isOver = true;
      await writing;
      const stored = new Set((await allEvents(store, { after: beforeFirst })).map(({ id }) => id));
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    },
    3 * EVENTSTOREDB_TIMEOUT_MS,
  );
});
