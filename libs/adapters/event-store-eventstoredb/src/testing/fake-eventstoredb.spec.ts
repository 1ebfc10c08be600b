import { beforeFirst, KnownStore, noStream } from '@florin/event-sourcing';
import { newEvent, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { Connection } from '../connection';
import { EventStoreDbEventStore } from '../eventstoredb-event-store.adapter';
import { isOwn } from '../server-event';
import { FakeEventStoreDb } from './fake-eventstoredb';

/** With a store that does not retry. The contract and the specs of the adapter cover the rest. */
describe('FakeEventStoreDb', () => {
  const stream = newStream();
  let server: FakeEventStoreDb;
  let store: EventStoreDbEventStore;
  let observer: EventStoreDbEventStore;

  beforeEach(async () => {
    server = await FakeEventStoreDb.start();
    store = new EventStoreDbEventStore(server.url, { retryForMs: 0 });
    observer = new EventStoreDbEventStore(server.url);
  });
  afterEach(async () => {
    await Promise.all([store.close(), observer.close()]);
    await server.stop();
  });

  const append = (): Promise<void> => store.append(stream, noStream, [newEvent()]);
  const countStored = async (): Promise<number> => (await wholeStream(observer, stream)).length;

  it('refuses a call and stores nothing', async () => {
    server.faults.unavailable('append');
    await expect(append()).rejects.toThrow();
    expect(await countStored()).toBe(0);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('drops the connection %s it has stored an append', async (when, stored) => {
    server.faults.plan('append', { kind: 'drop', when });
    await expect(append()).rejects.toThrow();
    expect(await countStored()).toBe(stored);
  });

  it('pauses a call', async () => {
    const paused = server.faults.pause('append');
    const appended = append();
    await paused.arrived;
    expect(await countStored()).toBe(0);
    paused.release();
    await appended;
    expect(await countStored()).toBe(1);
  });

  it('sends every event of a subscription twice', async () => {
    await append();
    server.faults.plan('subscribe', { kind: 'duplicate' });
    const known = new KnownStore(() => '');
    const connection = new Connection(server.url, { appendTimeoutMs: 1_000, retryForMs: 0, known });
    const ending = new AbortController();
    const revisions: number[] = [];
    await connection.subscribe(beforeFirst, {
      signal: ending.signal,
      onOpen: () => undefined,
      onCheckpoint: () => undefined,
      onEvent: (event) => {
        if (isOwn(event) && revisions.push(event.revision) === 2) ending.abort();
      },
    });
    await connection.close();
    expect(revisions).toEqual([0, 0]);
  });
});
