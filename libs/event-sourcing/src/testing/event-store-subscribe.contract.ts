import { type EventStore, noStream, type Position, PositionBeyondLog } from '../ports/event-store.port';
import type { StorePair } from './event-store-under-test';
import { allEvents, Follower, idsOf, newCategory, newEvent, newEvents, newStream } from './event-store-probe';

export function subscribeContract(stores: () => StorePair): void {
  let store: EventStore;
  let another: EventStore;
  let start: Position;
  const followers: Follower[] = [];
  beforeAll(() => ({ store, another } = stores()));
  beforeEach(async () => {
    start = await store.head();
  });
  afterEach(async () => {
    await Promise.all(followers.splice(0).map((follower) => follower.stop()));
  });

  function follow(
    door: EventStore,
    query: { after?: Position; categories?: string[]; pageSize?: number } = {},
  ): Follower {
    const follower = new Follower(door, { after: start, ...query });
    followers.push(follower);
    return follower;
  }

  /** Appends batches of very different sizes, so that large ones are in progress while small ones finish. */
  async function write(door: EventStore, category: string, sizes: readonly number[]): Promise<void> {
    const stream = newStream(category);
    let revision = noStream;
    for (const size of sizes) {
      await door.append(stream, revision, newEvents(size, { data: JSON.stringify('x'.repeat(2_000)) }));
      revision += size;
    }
  }

  function writeFromEverywhere(category: string): Promise<unknown> {
    const small = Array.from({ length: 40 }, () => 1);
    return Promise.all([
      ...Array.from({ length: 4 }, (_, n) => write(n % 2 ? store : another, category, small)),
      write(store, category, [150, 1, 150, 1, 150]),
      write(another, category, [1, 150, 1, 150, 1]),
    ]);
  }
  const writtenFromEverywhere = 4 * 40 + 452 + 303;

  it('catches up, then follows the appends of both processes', async () => {
    const [past, own, foreign] = [newEvent(), newEvent(), newEvent()];
    await store.append(newStream(), noStream, [past]);
    const follower = follow(store);
    await follower.untilEvents(1);
    await store.append(newStream(), noStream, [own]);
    await follower.untilEvents(2);
    await another.append(newStream(), noStream, [foreign]);
    expect(idsOf(await follower.untilEvents(3))).toEqual(idsOf([past, own, foreign]));
  });

  it('delivers complete events, identical to a read', async () => {
    const follower = follow(store);
    await store.append(newStream(), noStream, newEvents(3, { data: '{"é":"\\"👩"}' }));
    await another.append(newStream(), noStream, newEvents(3));
    expect(await follower.untilEvents(6)).toEqual(await allEvents(store, { after: start }));
  });

  it('misses and repeats nothing while several processes write and it catches up', async () => {
    await writeFromEverywhere(newCategory());
    const reading = [follow(store, { pageSize: 50 }), follow(another, { pageSize: 30 }), follow(store)];
    await writeFromEverywhere(newCategory());
    const everything = await allEvents(store, { after: start });
    expect(everything).toHaveLength(2 * writtenFromEverywhere);
    for (const follower of reading) {
      expect(await follower.untilEvents(everything.length)).toEqual(everything);
    }
  });

  it('never skips an append that commits late', async () => {
    const category = newCategory();
    const live = [follow(store, { categories: [category] }), follow(another, { categories: [category] })];
    await writeFromEverywhere(category);
    const everything = await allEvents(store, { after: start });
    for (const follower of live) {
      expect(idsOf(await follower.untilEvents(writtenFromEverywhere))).toEqual(idsOf(everything));
    }
  });

  it('resumes after any page without gap or repetition', async () => {
    const follower = follow(store, { pageSize: 40 });
    await writeFromEverywhere(newCategory());
    const everything = await follower.untilEvents(writtenFromEverywhere);
    const middle = follower.pages[Math.floor(follower.pages.length / 2)]!.readTo;
    const resumed = follow(another, { after: middle });
    const rest = everything.filter((event) => event.position > middle);
    expect(await resumed.untilEvents(rest.length)).toEqual(rest);
  });

  it('filters by category and reports how far it has read past the others', async () => {
    const category = newCategory();
    const follower = follow(store, { categories: [category], pageSize: 2 });
    const wanted = newEvent();
    await store.append(newStream(), noStream, newEvents(5));
    await store.append(newStream(category), noStream, [wanted]);
    await another.append(newStream(`${category}s`), noStream, newEvents(5));
    const head = await store.head();
    await follower.until(({ pages }) => pages.at(-1)?.readTo === head);
    expect(idsOf(follower.events)).toEqual([wanted.id]);
  });

  it('advances with every page, with at most the requested number of events', async () => {
    const follower = follow(store, { pageSize: 10 });
    await writeFromEverywhere(newCategory());
    await follower.untilEvents(writtenFromEverywhere);
    let before = start;
    for (const { events, readTo } of follower.pages) {
      expect(readTo).toBeGreaterThan(before);
      expect(events.length).toBeLessThanOrEqual(10);
      expect(events.every((event) => event.position > before && event.position <= readTo)).toBe(true);
      before = readTo;
    }
  });

  it('rejects to start beyond the end of the log, also while others follow it', async () => {
    const others = follow(store, {});
    await store.append(newStream(), noStream, [newEvent()]);
    await others.untilEvents(1);
    const pages = store.subscribe({ after: (await store.head()) + 1_000n }, AbortSignal.timeout(5_000));
    await expect(pages[Symbol.asyncIterator]().next()).rejects.toThrow(PositionBeyondLog);
  });

  describe('ends normally when it is aborted', () => {
    it('before it starts', async () => {
      await store.append(newStream(), noStream, [newEvent()]);
      const pages = store.subscribe({ after: start }, AbortSignal.abort())[Symbol.asyncIterator]();
      expect((await pages.next()).done).toBe(true);
    });

    it('while it waits for more', async () => {
      const controller = new AbortController();
      const pages = store.subscribe({ after: start }, controller.signal)[Symbol.asyncIterator]();
      await store.append(newStream(), noStream, [newEvent()]);
      expect((await pages.next()).value).toMatchObject({ events: [{ revision: 0 }] });
      const next = pages.next();
      controller.abort();
      expect((await next).done).toBe(true);
    });

    it('between two pages', async () => {
      await store.append(newStream(), noStream, newEvents(10));
      const controller = new AbortController();
      const lengths: number[] = [];
      for await (const page of store.subscribe({ after: start, pageSize: 2 }, controller.signal)) {
        lengths.push(page.events.length);
        controller.abort();
      }
      expect(lengths).toHaveLength(1);
    });
  });
}
