import { beforeFirst, type EventStore, noStream, type Position, type RecordedEvent } from '../ports/event-store.port';
import type { EventStoreUnderTest, StorePair } from './event-store-under-test';
import {
  allEvents,
  idsOf,
  newCategory,
  newEvent,
  newEvents,
  newStream,
  pagesOf,
  wholeStream,
} from './event-store-probe';

export function readContract(stores: () => StorePair, makeStore: () => Promise<EventStoreUnderTest>): void {
  let store: EventStore;
  let another: EventStore;
  let start: Position;
  beforeAll(() => ({ store, another } = stores()));
  beforeEach(async () => {
    start = await store.head();
  });

  it('finds nothing in an empty store', async () => {
    const empty = await makeStore();
    try {
      expect(await empty.store.head()).toBe(beforeFirst);
      const nothing = { events: [], readTo: beforeFirst, isLast: true };
      expect(await empty.store.readAll({ after: beforeFirst })).toEqual(nothing);
      expect(await empty.store.readAll({ after: beforeFirst, categories: ['any'] })).toEqual(nothing);
      await empty.store.append(newStream(), noStream, [newEvent()]);
      const [event] = await allEvents(empty.store, { after: beforeFirst });
      expect(event?.position).toBeGreaterThan(beforeFirst);
      expect(await empty.store.head()).toBe(event?.position);
    } finally {
      await empty.close();
    }
  });

  describe('of one stream', () => {
    it('returns nothing for a missing stream', async () => {
      expect(await wholeStream(store, newStream())).toEqual([]);
    });

    it('separates streams with a common name prefix', async () => {
      const stream = newStream();
      await store.append(stream, noStream, [newEvent()]);
      const longer = newEvent();
      await store.append(`${stream}0`, noStream, [longer]);
      expect(idsOf(await wholeStream(store, `${stream}0`))).toEqual([longer.id]);
      expect(await wholeStream(store, stream)).toHaveLength(1);
    });

    it('returns exactly the rest from any revision on, over any number of pages', async () => {
      const stream = newStream();
      const events = newEvents(1_200);
      await store.append(stream, noStream, events);
      for (const from of [0, 1, 99, 100, 101, 1_000, 1_199, 1_200, 5_000]) {
        const rest = await wholeStream(another, stream, from);
        expect(idsOf(rest)).toEqual(idsOf(events.slice(from)));
        expect(rest.map((event) => event.revision)).toEqual(rest.map((_, n) => from + n));
      }
    });

    it('returns the right stream to each of many concurrent readers, short, long or missing', async () => {
      const lengths = [0, 1, 3, 99, 100, 101, 350, 0, 2];
      const streams = lengths.map((length) => ({ stream: newStream(), events: newEvents(length) }));
      for (const { stream, events } of streams) await store.append(stream, noStream, events);
      const found = await Promise.all(
        streams.flatMap(({ stream }) => [wholeStream(another, stream), wholeStream(another, stream, 2)]),
      );
      expect(found.map(idsOf)).toEqual(streams.flatMap(({ events }) => [idsOf(events), idsOf(events.slice(2))]));
    });

    it('lets a reader stop early', async () => {
      const stream = newStream();
      await store.append(stream, noStream, newEvents(1_200));
      for await (const page of store.readStream(stream)) {
        expect(page[0]?.revision).toBe(0);
        break;
      }
      expect(await wholeStream(store, stream)).toHaveLength(1_200);
    });
  });

  describe('of the global order', () => {
    /** Events of two categories, alternating, in four streams. */
    async function someHistory(): Promise<{ categories: [string, string]; history: RecordedEvent[] }> {
      const categories: [string, string] = [newCategory(), newCategory()];
      const streams = [...categories, ...categories].map((category) => newStream(category));
      for (let round = 0; round < 3; round++) {
        for (const stream of streams) await store.append(stream, round * 2 - 1, newEvents(2));
      }
      return { categories, history: await allEvents(store, { after: start }) };
    }

    it('contains the events of every stream in the order of their appends', async () => {
      const { history } = await someHistory();
      expect(history).toHaveLength(24);
      for (let n = 1; n < history.length; n++) {
        expect(history[n]!.position).toBeGreaterThan(history[n - 1]!.position);
      }
      for (const stream of new Set(history.map((event) => event.stream))) {
        expect(history.filter((event) => event.stream === stream)).toEqual(await wholeStream(store, stream));
      }
      expect(await store.head()).toBe(history.at(-1)?.position);
    });

    it('returns exactly the rest after any position, in pages of any size', async () => {
      const { history } = await someHistory();
      const positions = [start, ...history.map((event) => event.position)];
      for (const [index, after] of positions.entries()) {
        const pageSize = 1 + (index % 5);
        const pages = await pagesOf(another, { after, pageSize });
        expect(pages.flatMap((page) => page.events)).toEqual(history.slice(index));
        expect(Math.max(0, ...pages.map((page) => page.events.length))).toBeLessThanOrEqual(pageSize);
      }
    });

    it('reports the end of the range it read, not only the last match', async () => {
      const { categories, history } = await someHistory();
      const head = history.at(-1)!.position;
      for (const category of [categories[0], newCategory()]) {
        const pages = await pagesOf(store, { after: start, categories: [category], pageSize: 3 });
        const matching = history.filter((event) => event.stream.startsWith(`${category}-`));
        expect(pages.flatMap((page) => page.events)).toEqual(matching);
        expect(pages.at(-1)?.readTo).toBe(head);
        expect(pages.every((page) => page.events.every((event) => event.position <= page.readTo))).toBe(true);
      }
    });

    it('distinguishes the last page from those with more events behind them', async () => {
      const { categories, history } = await someHistory();
      const after = history.at(-6)!.position;
      const pages = await pagesOf(store, { after, pageSize: 2 });
      expect(pages.map(({ isLast }) => isLast)).toEqual([false, false, true]);
      for (const filter of [undefined, categories, [newCategory()]]) {
        const rest = await pagesOf(store, { after, categories: filter, pageSize: 4 });
        expect(rest.map(({ isLast }) => isLast)).toEqual(rest.map(({ readTo }) => readTo === history.at(-1)!.position));
      }
    });

    it('resumes a filtered read after any position it has read to', async () => {
      const { categories, history } = await someHistory();
      const matching = history.filter((event) => event.stream.startsWith(`${categories[1]}-`));
      const query = { categories: [categories[1]], pageSize: 2 };
      let seen = 0;
      for (const page of await pagesOf(store, { after: start, ...query })) {
        seen += page.events.length;
        expect(await allEvents(store, { after: page.readTo, ...query })).toEqual(matching.slice(seen));
      }
      expect(seen).toBe(matching.length);
    });

    it('accepts several categories and distinguishes those with a common prefix', async () => {
      const category = newCategory();
      const [wanted, alike, bare] = [newStream(category), newStream(`${category}s`), category];
      for (const stream of [wanted, alike, bare]) await store.append(stream, noStream, [newEvent()]);
      const found = await allEvents(store, { after: start, categories: [category] });
      expect(found.map((event) => event.stream)).toEqual([wanted, bare]);
      const both = await allEvents(store, { after: start, categories: [`${category}s`, category] });
      expect(both.map((event) => event.stream)).toEqual([wanted, alike, bare]);
      expect(await allEvents(store, { after: start, categories: [] })).toEqual([]);
    });

    it('stays at its position at the end', async () => {
      const head = await store.head();
      const nothing = { events: [], readTo: head, isLast: true };
      expect(await store.readAll({ after: head })).toEqual(nothing);
      expect(await store.readAll({ after: head, categories: ['any'] })).toEqual(nothing);
    });
  });
}
