import { noBackoff } from './testing/no-backoff';
import { serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { UnreadableEvent } from './event-codec';
import { findBrokenLink } from './event-metadata';
import { CommandHandler, type CommandReply } from './handle-command';
import { beforeFirst, type EventStore, type RecordedEvent } from './ports/event-store.port';
import type { Snapshot, SnapshotStore } from './ports/snapshot-store.port';
import { digestOf } from './snapshot';
import { InMemoryEventStore } from './testing/in-memory-event-store';
import { InMemorySnapshotStore } from './testing/in-memory-snapshot-store';
import { increment, tallyAggregate } from './testing/tally';

/** Records from where streams were read, and can fail once. */
class WatchedStore extends InMemoryEventStore {
  readonly readFrom: number[] = [];
  failNext = false;

  override readStream(stream: string, fromRevision = 0): AsyncGenerator<readonly RecordedEvent[]> {
    this.readFrom.push(fromRevision);
    return super.readStream(stream, fromRevision);
  }

  override async append(...call: Parameters<EventStore['append']>): Promise<void> {
    const fails = this.failNext;
    this.failNext = false;
    if (fails) throw new Error('connection lost before the append');
    await super.append(...call);
  }
}

class WatchedSnapshots extends InMemorySnapshotStore {
  readonly saved: Snapshot[] = [];
  finds = 0;

  override find(...call: Parameters<SnapshotStore['find']>): Promise<Snapshot | undefined> {
    this.finds += 1;
    return super.find(...call);
  }

  override async save(snapshot: Snapshot): Promise<void> {
    this.saved.push(snapshot);
    await super.save(snapshot);
  }
}

class ThriftySnapshots extends WatchedSnapshots {
  override readonly bytesPerEvent = 100;
}

const start = '2030-01-01T00:00:00.000Z';

const ofVersion = (stateVersion: number): typeof tallyAggregate => ({ ...tallyAggregate, stateVersion });

/** One process after another on the same stores: a restart clears the memory. */
class Fixture {
  private handler: ReturnType<Fixture['newHandler']>;

  constructor(
    readonly store = new WatchedStore(),
    readonly snapshots = new WatchedSnapshots(),
  ) {
    this.handler = this.newHandler(ofVersion(1));
  }

  restart(aggregate = ofVersion(1)): this {
    this.handler = this.newHandler(aggregate);
    return this;
  }

  add(id: string, amount = 1): Promise<CommandReply<number>> {
    const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };
    return this.handler.handle('a', increment(id, amount), { id, headers });
  }

  async total(): Promise<number> {
    return this.handler.read('a', 0, ({ total }) => total);
  }

  private newHandler(aggregate: typeof tallyAggregate) {
    return new CommandHandler(aggregate, {
      store: this.store,
      snapshots: this.snapshots,
      clock: manualClock(start),
      backoff: noBackoff,
    });
  }
}

async function fixtureWith(...ids: readonly string[]): Promise<Fixture> {
  const fixture = new Fixture();
  for (const id of ids) await fixture.add(id);
  return fixture;
}

const totalOf = (reply: CommandReply<number>): unknown => reply.ok && reply.answer;

describe('A stream with snapshots', () => {
  test('takes a snapshot after enough events, and a new process reads only newer ones', async () => {
    const fixture = await fixtureWith('1', '2', '3');
    expect(fixture.snapshots.saved.map(({ revision }) => revision)).toEqual([1]);
    fixture.store.readFrom.length = 0;
    expect(totalOf(await fixture.restart().add('4'))).toBe(4);
    // The last event of the snapshot is read again to compare its hash.
    expect(fixture.store.readFrom).toEqual([1]);
  });

  test('continues over many pages', async () => {
    const fixture = await fixtureWith('1', '2');
    const elsewhere = new Fixture(fixture.store, new WatchedSnapshots());
    for (let count = 3; count <= 250; count++) await elsewhere.add(`${count}`);
    fixture.store.readFrom.length = 0;
    expect(await fixture.restart().total()).toBe(250);
    expect(fixture.store.readFrom).toEqual([1]);
  });

  test('recognizes commands from before the snapshot', async () => {
    const fixture = await fixtureWith('1', '2', '3');
    expect(await fixture.restart().add('1')).toEqual({ ok: true, repeated: true, answer: 3 });
    expect(await fixture.total()).toBe(3);
  });

  test('continues the hash chain from the snapshot, even without newer events', async () => {
    const fixture = await fixtureWith('1', '2');
    await fixture.restart().add('3');
    await fixture.restart().add('4');
    const { events } = await fixture.store.readAll({ after: beforeFirst });
    expect(events).toHaveLength(4);
    expect(findBrokenLink(events)).toBeUndefined();
  });

  test('takes the next snapshot in a process that was restored from one', async () => {
    const fixture = await fixtureWith('1', '2', '3');
    fixture.restart();
    for (const id of ['4', '5', '6']) await fixture.add(id);
    expect(fixture.snapshots.saved.map(({ revision }) => revision)).toEqual([1, 3, 5]);
  });

  test('takes no snapshot of events that could not be stored', async () => {
    const fixture = await fixtureWith('1');
    fixture.store.failNext = true;
    // Decided twice, but stored once.
    expect(totalOf(await fixture.add('2'))).toBe(2);
    expect(fixture.snapshots.saved).toHaveLength(1);
    expect(await fixture.restart().total()).toBe(2);
  });

  test('is read from its first event when the state version differs', async () => {
    const fixture = await fixtureWith('1', '2', '3');
    fixture.store.readFrom.length = 0;
    expect(totalOf(await fixture.restart(ofVersion(2)).add('4'))).toBe(4);
    expect(fixture.store.readFrom).toEqual([0]);
    expect(fixture.snapshots.saved.at(-1)).toMatchObject({ revision: 3, version: '2 of Incremented 1' });
  });

  test('takes and reads no snapshots without a state version', async () => {
    const fixture = new Fixture().restart(tallyAggregate);
    for (const id of ['1', '2', '3']) await fixture.add(id);
    expect(fixture.snapshots.finds + fixture.snapshots.saved.length).toBe(0);
  });

  test('takes snapshots of a large state less often', async () => {
    const fixture = new Fixture(new WatchedStore(), new ThriftySnapshots());
    // Each event adds a few hundred bytes to the state: one event per hundred bytes.
    for (let count = 1; count <= 40; count++) await fixture.add(`${count}`.repeat(250));
    const revisions = fixture.snapshots.saved.map(({ revision }) => revision);
    const gaps = revisions.slice(1).map((revision, index) => revision - revisions[index]!);
    expect(gaps[0]).toBeGreaterThan(2);
    expect([...gaps].sort((a, b) => a - b)).toEqual(gaps);
  });
});

describe('An unusable snapshot', () => {
  const otherLog = async (...ids: readonly string[]): Promise<Fixture> => {
    const { snapshots } = await fixtureWith('1', '2', '3');
    const fixture = new Fixture(new WatchedStore(), snapshots);
    const elsewhere = new Fixture(fixture.store, new WatchedSnapshots());
    for (const id of ids) await elsewhere.add(id, 10);
    return fixture;
  };

  test.each([
    ['when the log has other events', ['x', 'y', 'z'], 31],
    ['when the log has fewer events', ['x'], 11],
    ['when the log is empty', [], 1],
  ])('is discarded %s', async (_, ids, total) => {
    const fixture = await otherLog(...ids);
    expect(totalOf(await fixture.add('4'))).toBe(total);
    expect(fixture.snapshots.reasons).toEqual(['it belongs to another log']);
    expect(await fixture.restart().total()).toBe(total);
    expect(fixture.snapshots.reasons).toHaveLength(1);
  });

  const replacedBy = async (change: (good: Snapshot) => Snapshot): Promise<Fixture> => {
    const fixture = await fixtureWith('1', '2', '3');
    const [good] = fixture.snapshots.saved;
    await fixture.snapshots.discard(good!, 'replaced');
    await fixture.snapshots.save(change(good!));
    return fixture.restart();
  };

  test.each([
    ['a byte of its state', ({ state }: Snapshot) => ({ state: state.with(-1, state.at(-1)! ^ 1) })],
    ['its revision', () => ({ revision: 2 })],
    ['its hash', () => ({ hash: 'b'.repeat(64) })],
  ])('is discarded when %s was changed', async (_, change) => {
    const fixture = await replacedBy((good) => ({ ...good, ...change(good) }));
    expect(totalOf(await fixture.add('4'))).toBe(4);
    expect(fixture.snapshots.reasons.at(-1)).toBe('it is corrupt');
  });

  test('is discarded when its format is unknown', async () => {
    const fixture = await replacedBy((good) => {
      const state = Buffer.from('from the future');
      return { ...good, state, digest: digestOf({ ...good, state }) };
    });
    expect(totalOf(await fixture.add('4'))).toBe(4);
    expect(fixture.snapshots.reasons.at(-1)).toMatch(/^it cannot be deserialized/);
  });
});

describe('A release that does not know all event types', () => {
  test('fails on an unknown event type even when a snapshot covers it', async () => {
    const fixture = await fixtureWith('1', '2');
    expect(fixture.snapshots.saved).toMatchObject([{ revision: 1 }]);
    const older = new CommandHandler(
      { ...ofVersion(1), versions: { Counted: [] } as never },
      { store: fixture.store, snapshots: fixture.snapshots, clock: manualClock(start), backoff: noBackoff },
    );
    await expect(older.read('a', 0, () => null)).rejects.toThrow(UnreadableEvent);
  });
});
