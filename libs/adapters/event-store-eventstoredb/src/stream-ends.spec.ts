import { beforeFirst, noStream } from '@florin/event-sourcing';
import { Follower, newEvent, newEvents, newStream, wholeStream } from '@florin/event-sourcing/testing';
import fc from 'fast-check';
import { Connection } from './connection';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';
import { StreamEnds } from './stream-ends';
import { FakeEventStoreDb } from './testing';

/** A log of two streams. The events up to `delivered` have reached the live subscription, and those up to `dropped` have left it. */
class Log {
  readonly streams: string[] = [];
  delivered = 0;
  dropped = 0;

  get head(): bigint {
    return BigInt(this.streams.length);
  }

  endOf(stream: string, from = 0, to = this.streams.length): number {
    const isIn = (name: string, index: number): boolean => name === stream && index < to;
    const isAfter = this.streams.slice(from, to).includes(stream);
    return isAfter ? this.streams.filter(isIn).length - 1 : noStream;
  }

  readonly ends = new StreamEnds(async () => this.head, {
    covers: (after) => after >= BigInt(this.dropped),
    reaches: async (position) => BigInt(this.delivered) >= position,
    newestRevision: (stream) => this.endOf(stream, this.dropped, this.delivered),
  });
}

const streams = fc.constantFrom('card-1', 'card-2');
const steps = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('append' as const), stream: streams }),
    fc.record({ what: fc.constant('read' as const), stream: streams, isKnown: fc.boolean() }),
    fc.record({ what: fc.constantFrom('deliver' as const, 'drop' as const) }),
  ),
  { maxLength: 40 },
);

describe('StreamEnds', () => {
  it('confirms only the ends of streams without a newer event', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const log = new Log();
        const lastRead = new Map<string, number>();
        for (const step of taken) {
          if (step.what === 'append') log.streams.push(step.stream);
          else if (step.what === 'read') {
            const { stream, isKnown } = step;
            const last = lastRead.get(stream) ?? noStream;
            if (await log.ends.endsBefore(stream, last + 1)) expect(log.endOf(stream)).toBe(last);
            // What was known before the read may be older than what was read.
            log.ends.remember(stream, log.endOf(stream), isKnown ? log.head : BigInt(log.delivered));
            lastRead.set(stream, log.endOf(stream));
          } else if (step.what === 'deliver') log.delivered = log.streams.length;
          else log.dropped = log.delivered;
        }
      }),
    );
  });

  it('confirms the end of a stream that was read after all delivered events', async () => {
    const log = new Log();
    log.streams.push('card-1', 'card-2');
    log.delivered = 2;
    expect(await log.ends.endsBefore('card-1', 1)).toBe(false);
    log.ends.remember('card-1', 0, 1n);
    expect(await log.ends.endsBefore('card-1', 1)).toBe(true);
    log.dropped = 2;
    expect(await log.ends.endsBefore('card-1', 1)).toBe(true);
  });
});

describe('A store that follows the log', () => {
  let server: FakeEventStoreDb;
  let stores: EventStoreDbEventStore[];
  let follower: Follower;

  beforeEach(async () => {
    server = await FakeEventStoreDb.start();
    stores = [new EventStoreDbEventStore(server.url), new EventStoreDbEventStore(server.url)];
    follower = new Follower(stores[0]!, { after: beforeFirst });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await follower.stop();
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  it('reads a stream again only after another process has written to it', async () => {
    const [store, another] = [stores[0]!, stores[1]!];
    const [stream, absent] = [newStream(), newStream()];
    await store.append(stream, noStream, newEvents(2));
    await follower.untilEvents(2);
    expect(await wholeStream(store, absent)).toEqual([]);
    const reads = jest.spyOn(Connection.prototype, 'readStream');
    for (let count = 0; count < 3; count++) {
      expect(await wholeStream(store, stream, 2)).toEqual([]);
      expect(await wholeStream(store, absent)).toEqual([]);
    }
    expect(reads).not.toHaveBeenCalled();

    const [later, first] = [newEvent(), newEvent()];
    await another.append(stream, 1, [later]);
    await another.append(absent, noStream, [first]);
    expect(await wholeStream(store, stream, 2)).toMatchObject([{ id: later.id }]);
    expect(await wholeStream(store, absent)).toMatchObject([{ id: first.id }]);
  });
});
