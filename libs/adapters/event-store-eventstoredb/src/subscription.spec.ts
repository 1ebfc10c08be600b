import { type Backoff, beforeFirst, noStream } from '@florin/event-sourcing';
import {
  allEvents,
  Follower,
  idsOf,
  newCategory,
  newEvent,
  newEvents,
  newStream,
} from '@florin/event-sourcing/testing';
import { EventStoreDbEventStore, type EventStoreDbEventStoreOptions } from './eventstoredb-event-store.adapter';
import { FakeEventStoreDb } from './testing';

jest.setTimeout(30_000);

describe('A subscription to EventStoreDB', () => {
  let server: FakeEventStoreDb;
  let writer: EventStoreDbEventStore;
  const stores: EventStoreDbEventStore[] = [];
  const followers: Follower[] = [];

  beforeEach(async () => {
    server = await FakeEventStoreDb.start();
    writer = open();
  });
  afterEach(async () => {
    await Promise.allSettled(followers.splice(0).map((follower) => follower.stop()));
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await server.stop();
  });

  function open(options: EventStoreDbEventStoreOptions = {}): EventStoreDbEventStore {
    const store = new EventStoreDbEventStore(server.url, options);
    stores.push(store);
    return store;
  }

  function follow(store: EventStoreDbEventStore, after = beforeFirst, categories?: string[]): Follower {
    const follower = new Follower(store, { after, categories });
    followers.push(follower);
    return follower;
  }

  async function write(count = 1, category = newCategory()): Promise<void> {
    await writer.append(newStream(category), noStream, newEvents(count));
  }

  it.each([
    ['every connection is cut', async () => server.dropConnections()],
    ['the server is restarted', () => server.restart()],
  ])('continues without gaps or duplicates when %s repeatedly', async (_what, interrupt) => {
    const category = newCategory();
    const store = open();
    const [all, some] = [follow(store), follow(store, beforeFirst, [category])];
    for (let round = 1; round <= 4; round++) {
      await write(3);
      await write(2, category);
      if (round > 1) await all.untilEvents(5 * (round - 1));
      await interrupt();
      await write(1, category);
      await all.untilEvents(6 * round);
    }
    const everything = await allEvents(writer, { after: beforeFirst });
    expect(everything).toHaveLength(24);
    expect(all.events).toEqual(everything);
    expect(await some.untilEvents(12)).toEqual(everything.filter(({ stream }) => stream.startsWith(category)));
    for (const { pages } of [all, some]) {
      expect(pages.every((page, n) => n === 0 || page.readTo > pages[n - 1]!.readTo)).toBe(true);
    }
  });

  it('delivers events once that the server sends twice', async () => {
    await write();
    server.faults.plan('subscribe', { kind: 'duplicate' });
    const follower = follow(open());
    await follower.untilEvents(1);
    for (let count = 2; count <= 5; count++) {
      await write();
      await follower.untilEvents(count);
    }
    expect(follower.events).toEqual(await allEvents(writer, { after: beforeFirst }));
  });

  it('starts although the server rejects the first calls and a page is lost', async () => {
    await write(2);
    server.faults.plan('read', { kind: 'drop', when: 'after' });
    server.faults.unavailable('subscribe');
    const follower = follow(open());
    await follower.untilEvents(2);
    await write();
    expect(await follower.untilEvents(3)).toHaveLength(3);
  });

  it('rejects when the server stays unreachable, and can be resumed after the last page', async () => {
    const impatient: Backoff = { wait: () => new Promise((resolve) => setImmediate(resolve)) };
    const store = open({ retryForMs: 0, reconnects: 2, backoff: impatient });
    await write(2);
    const follower = follow(store);
    await follower.untilEvents(2);
    server.down();
    await expect(follower.untilEvents(3)).rejects.toThrow();
    const early = follow(store, follower.pages.at(-1)!.readTo);
    await expect(early.untilEvents(1)).rejects.toThrow();
    await server.up();
    const late = newEvent();
    await writer.append(newStream(), noStream, [late]);
    const resumed = follow(store, follower.pages.at(-1)!.readTo);
    expect(idsOf(await resumed.untilEvents(1))).toEqual([late.id]);
  });

  it('rejects immediately when the server denies access', async () => {
    await write();
    server.faults.unauthenticated('subscribe');
    const follower = follow(open());
    await expect(follower.untilEvents(2)).rejects.toThrow('Unauthenticated');
  });

  it('rejects a checkpoint of another store instead of skipping events', async () => {
    await write();
    const beyond = (await writer.head()) + 1_000_000n;
    await expect(follow(writer, beyond).untilEvents(1)).rejects.toThrow('Reset the checkpoint');
  });

  it('reports progress of other categories immediately, even when its own events are rare', async () => {
    const follower = follow(open(), beforeFirst, [newCategory()]);
    for (let round = 0; round < 3; round++) {
      await write();
      const head = await writer.head();
      await follower.until(({ pages }) => pages.at(-1)?.readTo === head);
    }
    expect(follower.events).toEqual([]);
  });

  it('shares one subscription to the server among all subscriptions that have caught up', async () => {
    const store = open();
    await write();
    const first = follow(store);
    await first.untilEvents(1);
    await write();
    await first.untilEvents(2);
    // A second call would be rejected, and its subscription with it.
    server.faults.unauthenticated('subscribe');
    const second = follow(store);
    await write();
    expect(await second.untilEvents(3)).toEqual(await first.untilEvents(3));
  });
});
