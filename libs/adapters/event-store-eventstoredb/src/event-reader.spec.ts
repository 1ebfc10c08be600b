import { beforeFirst, type EventPage, KnownStore, type Position } from '@florin/event-sourcing';
import { newEvent } from '@florin/event-sourcing/testing';
import fc from 'fast-check';
import type { Connection } from './connection';
import { EventReader } from './event-reader';
import type { ServerEvent } from './server-event';

/** A log of own events and of those that the server writes for itself, and how many of them were read. */
class Log {
  read = 0;
  private readonly events: ServerEvent[] = [];

  constructor(kinds: readonly boolean[]) {
    for (const isOwn of kinds) this.add(isOwn);
  }

  add(isOwn: boolean): void {
    const position = BigInt(this.events.length + 1) * 100n;
    this.events.push(
      isOwn ? { ...newEvent(), stream: 'account-1', revision: 0, position } : { position, stream: undefined },
    );
  }

  get own(): readonly Position[] {
    return this.events.filter(({ stream }) => stream !== undefined).map(({ position }) => position);
  }

  get connection(): Connection {
    const count = (found: ServerEvent[]): ServerEvent[] => {
      this.read += found.length;
      return found;
    };
    const readAll: Connection['readAll'] = async (from, max) =>
      count(this.events.filter(({ position }) => position >= from).slice(0, max));
    const readNewest: Connection['readNewest'] = async (before, max) => {
      const older = this.events.filter(({ position }) => before === undefined || position < before);
      return count(older.reverse().slice(0, max));
    };
    const newestBetween: Connection['newestBetween'] = async (first, last) => {
      const isBetween = (position: Position): boolean => position >= first && position <= last;
      this.read += this.own.filter(isBetween).length;
      return this.own.filter(isBetween).at(-1)!;
    };
    return { readAll, readNewest, newestBetween } as Connection;
  }
}

function readerOf({ connection }: Log, furthest = beforeFirst): EventReader {
  return new EventReader(connection, new KnownStore(String), async () => furthest);
}

const manyServerEvents = Array.from({ length: 5_000 }, () => false);

async function readPages(reader: EventReader, limit: number): Promise<EventPage[]> {
  const pages: EventPage[] = [];
  for (let after = beforeFirst; ;) {
    const page = await reader.page(after, limit, undefined);
    pages.push(page);
    if (page.isLast) return pages;
    expect(page.readTo).toBeGreaterThan(after);
    after = page.readTo;
  }
}

describe('EventReader', () => {
  it('reads all own events in order, and never passes the newest one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), fc.integer({ min: 1, max: 8 }), async (kinds, limit) => {
        const log = new Log(kinds);
        const pages = await readPages(readerOf(log), limit);
        expect(pages.flatMap(({ events }) => events.map(({ position }) => position))).toEqual(log.own);
        const head = log.own.at(-1) ?? beforeFirst;
        for (const { readTo } of pages) expect(readTo).toBeLessThanOrEqual(head);
        expect(await readerOf(log).head()).toBe(head);
      }),
    );
  });

  it('does not search again what a search, or the live subscription, has passed', async () => {
    const log = new Log([true, ...manyServerEvents]);
    const reader = readerOf(log);
    expect(await reader.head()).toBe(100n);
    log.read = 0;
    expect(await reader.head()).toBe(100n);
    expect(log.read).toBe(1);

    for (let count = 0; count < 5_000; count++) log.add(false);
    reader.passed(10_000n * 100n, 100n);
    log.read = 0;
    expect(await reader.head()).toBe(100n);
    expect(log.read).toBeLessThan(1_100);
    log.add(true);
    expect(await reader.head()).toBe(log.own.at(-1));
  });

  it.each([
    ['nothing has followed', [true, ...manyServerEvents], 100n],
    ['events have followed', [true, ...manyServerEvents, true, ...manyServerEvents], 500_200n],
  ])('begins at the furthest known event in a new process if %s', async (_what, kinds, head) => {
    const log = new Log(kinds);
    expect(await readerOf(log, 100n).head()).toBe(head);
    expect(log.read).toBeLessThan(1_100);
  });

  it('finds the newest event for any furthest known position', async () => {
    const furthestPositions = fc.bigInt({ min: 0n, max: 40n }).map((hundreds) => hundreds * 50n);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), furthestPositions, async (kinds, furthest) => {
        const log = new Log([...kinds, ...manyServerEvents.slice(0, 1_500)]);
        expect(await readerOf(log, furthest).head()).toBe(log.own.at(-1) ?? beforeFirst);
      }),
    );
  });

  it('reads no page at the end of the log, which could be full of events of the server', async () => {
    const log = new Log([true, ...manyServerEvents]);
    const reader = readerOf(log, 100n);
    await reader.head();
    log.read = 0;
    expect(await reader.page(100n, 1_000, undefined)).toEqual({ events: [], readTo: 100n, isLast: true });
    expect(log.read).toBe(1);
  });
});
