import { systemClock } from '@florin/kernel';
import fc from 'fast-check';
import { type PlainEvent, sealedLog, storeOf } from '../log-checkpoints/testing/signed-log';
import { AppendOutcomeUnknown, type Position, type RecordedEvent } from '../ports/event-store.port';
import { identityStream, openStore } from '../store-identity';
import { InMemoryEventStore } from '../testing/in-memory-event-store';
import { noBackoff } from '../testing/no-backoff';
import { type ComparisonVisitor, CopyDiffers } from './compare-logs';
import { completeCopy, openCopy, readStoreHistory, recordMove } from './copied-store';
import { copyLog, type CopyTarget, streamRuns } from './copy-log';

const opener = { service: 'cli', florinVersion: '1.0.0', clock: systemClock };

function logOf(streams: readonly number[]): readonly RecordedEvent[] {
  const plain = streams.map((stream, index): PlainEvent => {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    return { stream: `note-${stream}`, id, type: 'Noted', data: `{"number":${index}}` };
  });
  return sealedLog(plain);
}

/** A target that loses its connection after the given numbers of events, and stores a part of what it was sent. */
class UnreliableTarget extends InMemoryEventStore implements CopyTarget {
  constructor(private readonly stored: number[]) {
    super();
  }

  async appendInOrder(events: readonly RecordedEvent[]): Promise<void> {
    const limit = this.stored.shift() ?? events.length;
    for (const { stream, expectedRevision, events: run } of streamRuns(events.slice(0, limit))) {
      await this.append(stream, expectedRevision, run);
    }
    if (limit < events.length) throw new AppendOutcomeUnknown(new Error('connection lost'));
  }
}

class Positions implements ComparisonVisitor {
  readonly pairs: [Position, Position][] = [];
  readonly sources: RecordedEvent[] = [];
  readonly targets: RecordedEvent[] = [];
  source(event: RecordedEvent): void {
    this.sources.push(event);
  }
  target(event: RecordedEvent): void {
    this.targets.push(event);
  }
  pair(source: Position, target: Position): void {
    this.pairs.push([source, target]);
  }
  async flush(): Promise<void> {}
}

async function copy(source: CopyTarget | ReturnType<typeof storeOf>, target: CopyTarget) {
  const visitors: Positions[] = [];
  const result = await copyLog({
    ...{ source, target, backoff: noBackoff, isTransient: (error: unknown) => error instanceof AppendOutcomeUnknown },
    visitor: async () => {
      visitors.push(new Positions());
      return visitors.at(-1)!;
    },
  });
  return { result, visitor: visitors.at(-1)! };
}

const content = (events: readonly RecordedEvent[]) =>
  events.filter(({ stream }) => stream !== identityStream).map(({ position: _, ...event }) => event);

async function eventsIn(store: InMemoryEventStore): Promise<readonly RecordedEvent[]> {
  return (await store.readAll({ after: 0n, pageSize: 100_000 })).events;
}

describe('copyLog', () => {
  it('copies every event in order, wherever it is interrupted', async () => {
    const streams = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 60 });
    const interruptions = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(streams, interruptions, async (ofStreams, stored) => {
        const events = logOf(ofStreams);
        const target = new UnreliableTarget([...stored]);
        await openCopy(target, { kind: 'postgres', storeId: 'a' }, opener);
        const { result, visitor } = await copy(storeOf(events), target);
        const copied = await eventsIn(target);
        expect(content(copied)).toEqual(content(events));
        expect(result).toMatchObject({ events: events.length, isComplete: true });
        expect(visitor.sources).toEqual(events);
        expect(visitor.targets).toEqual(copied);
        // The identity of the target comes first.
        expect(visitor.pairs).toEqual(events.map(({ position }) => [position, position + 1n]));
      }),
      { numRuns: 100 },
    );
  });

  it('stops when the target fails again and again', async () => {
    const target = new UnreliableTarget(new Array<number>(20).fill(0));
    await expect(copy(storeOf(logOf([1, 2])), target)).rejects.toThrow('connection lost');
  });

  it('does not copy the identity of the source', async () => {
    const source = new UnreliableTarget([]);
    await openStore(source, opener);
    await source.appendInOrder(logOf([1, 1, 2]));
    const target = new UnreliableTarget([]);
    const { visitor } = await copy(source, target);
    expect(content(await eventsIn(target))).toEqual(content(await eventsIn(source)));
    expect(visitor.pairs).toEqual([
      [2n, 1n],
      [3n, 2n],
      [4n, 3n],
    ]);
  });

  it.each([
    ['another order', [2, 1]],
    ['events of another log', [3]],
    ['more events', [1, 2, 2, 2]],
  ])('rejects a target with %s', async (_, streams) => {
    const target = new UnreliableTarget([]);
    await target.appendInOrder(logOf(streams));
    await expect(copy(storeOf(logOf([1, 2, 2])), target)).rejects.toThrow(CopyDiffers);
  });
});

describe('streamRuns', () => {
  it('joins neighbors of one stream, up to a size', () => {
    const runs = streamRuns(logOf([1, 1, 2, 1, ...new Array<number>(150).fill(3)]));
    expect(runs.map(({ stream, expectedRevision, events }) => [stream, expectedRevision, events.length])).toEqual([
      ['note-1', -1, 2],
      ['note-2', -1, 1],
      ['note-1', 1, 1],
      ['note-3', -1, 100],
      ['note-3', 99, 50],
    ]);
  });
});

describe('the identity of a copy', () => {
  it('names its origin, and is complete only after the comparison', async () => {
    const store = new InMemoryEventStore();
    expect(await readStoreHistory(store)).toBeUndefined();
    const origin = { kind: 'postgres', storeId: 'a' };
    await openCopy(store, origin, opener);
    expect(await readStoreHistory(store)).toMatchObject({ copiedFrom: origin, isComplete: false });
    await completeCopy(store, 5, opener);
    const { storeId, isComplete, movedTo } = (await readStoreHistory(store))!;
    expect({ isComplete, movedTo }).toEqual({ isComplete: true, movedTo: undefined });
    expect(storeId).not.toBe('a');
  });

  it('says once where the log was moved to', async () => {
    const store = new InMemoryEventStore();
    await openStore(store, opener);
    const to = { kind: 'postgres', storeId: 'b' };
    const position = await recordMove(store, to, opener);
    expect(await recordMove(store, to, opener)).toBe(position);
    expect(await readStoreHistory(store)).toMatchObject({ isComplete: true, movedTo: to });
  });
});
