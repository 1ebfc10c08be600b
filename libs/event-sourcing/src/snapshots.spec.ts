import { manualClock } from '@florin/kernel';
import { noBackoff } from './backoff';
import { UnreadableEvent } from './event-codec';
import { findBrokenLink } from './event-metadata';
import { CommandHandler, type CommandReply } from './handle-command';
import { beforeFirst, type EventStore, type RecordedEvent } from './ports/event-store.port';
import type { Snapshot, SnapshotStore } from './ports/snapshot-store.port';
import { digestOf } from './snapshot';
import { InMemoryEventStore } from './testing/in-memory-event-store';
import { InMemorySnapshotStore } from './testing/in-memory-snapshot-store';
import { addUp, tallyAggregate, tallyDecider } from './testing/tally';

/** Remembers from where streams were read, and can fail once. */
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
  readonly kept: Snapshot[] = [];
  finds = 0;

  override find(...call: Parameters<SnapshotStore['find']>): Promise<Snapshot | undefined> {
    this.finds += 1;
    return super.find(...call);
  }

  override async keep(snapshot: Snapshot): Promise<void> {
    this.kept.push(snapshot);
    await super.keep(snapshot);
  }
}

class ThriftySnapshots extends WatchedSnapshots {
  override readonly bytesPerEvent = 100;
}

const start = '2030-01-01T00:00:00.000Z';

const ofVersion = (stateVersion: number): typeof tallyDecider => ({ ...tallyDecider, stateVersion });

/** One process after the other on the same stores: `add` in a new one has nothing in memory. */
class World {
  private handler: ReturnType<World['newHandler']>;

  constructor(
    readonly store = new WatchedStore(),
    readonly snapshots = new WatchedSnapshots(),
  ) {
    this.handler = this.newHandler(ofVersion(1));
  }

  restart(decider = ofVersion(1)): this {
    this.handler = this.newHandler(decider);
    return this;
  }

  add(id: string, amount = 1): Promise<CommandReply<number>> {
    const headers = { correlationId: 'c', causationId: 'c' };
    return this.handler.handle('a', addUp(id, amount), { id, headers });
  }

  async total(): Promise<number> {
    return this.handler.read('a', 0, ({ total }) => total);
  }

  private newHandler(decider: typeof tallyDecider) {
    return new CommandHandler(
      { ...tallyAggregate, decider },
      { store: this.store, snapshots: this.snapshots, clock: manualClock(start), backoff: noBackoff },
    );
  }
}

async function worldOf(...ids: readonly string[]): Promise<World> {
  const world = new World();
  for (const id of ids) await world.add(id);
  return world;
}

const totalOf = (reply: CommandReply<number>): unknown => reply.ok && reply.answer;

describe('A stream with snapshots', () => {
  test('leaves one after so many events, and a new process reads only what came since', async () => {
    const world = await worldOf('1', '2', '3');
    expect(world.snapshots.kept.map(({ revision }) => revision)).toEqual([1]);
    world.store.readFrom.length = 0;
    expect(totalOf(await world.restart().add('4'))).toBe(4);
    // The event that the snapshot ends with is read again: it has to be the same one.
    expect(world.store.readFrom).toEqual([1]);
  });

  test('reads on over many pages', async () => {
    const world = await worldOf('1', '2');
    const elsewhere = new World(world.store, new WatchedSnapshots());
    for (let count = 3; count <= 250; count++) await elsewhere.add(`${count}`);
    world.store.readFrom.length = 0;
    expect(await world.restart().total()).toBe(250);
    expect(world.store.readFrom).toEqual([1]);
  });

  test('recognises what was done before the snapshot', async () => {
    const world = await worldOf('1', '2', '3');
    expect(await world.restart().add('1')).toEqual({ ok: true, repeated: true, answer: 3 });
    expect(await world.total()).toBe(3);
  });

  test('goes on with the hash chain where the snapshot ends, also when nothing came since', async () => {
    const world = await worldOf('1', '2');
    await world.restart().add('3');
    await world.restart().add('4');
    const { events } = await world.store.readAll({ after: beforeFirst });
    expect(events).toHaveLength(4);
    expect(findBrokenLink(events)).toBeUndefined();
  });

  test('what a process adds after it was read from a snapshot leaves the next one', async () => {
    const world = await worldOf('1', '2', '3');
    world.restart();
    for (const id of ['4', '5', '6']) await world.add(id);
    expect(world.snapshots.kept.map(({ revision }) => revision)).toEqual([1, 3, 5]);
  });

  test('keeps nothing of what could not be stored', async () => {
    const world = await worldOf('1');
    world.store.failNext = true;
    // Decided twice, but stored once.
    expect(totalOf(await world.add('2'))).toBe(2);
    expect(world.snapshots.kept).toHaveLength(1);
    expect(await world.restart().total()).toBe(2);
  });

  test('is read from its first event where states have another version', async () => {
    const world = await worldOf('1', '2', '3');
    world.store.readFrom.length = 0;
    expect(totalOf(await world.restart(ofVersion(2)).add('4'))).toBe(4);
    expect(world.store.readFrom).toEqual([0]);
    expect(world.snapshots.kept.at(-1)).toMatchObject({ revision: 3, version: '2 of AddedUp 1' });
  });

  test('without a version nothing is looked for, and nothing kept', async () => {
    const world = new World().restart(tallyDecider);
    for (const id of ['1', '2', '3']) await world.add(id);
    expect(world.snapshots.finds + world.snapshots.kept.length).toBe(0);
  });

  test('a large state is kept less often', async () => {
    const world = new World(new WatchedStore(), new ThriftySnapshots());
    // A state of a few hundred bytes more for each: one event for every hundred of them.
    for (let count = 1; count <= 40; count++) await world.add(`${count}`.repeat(250));
    const revisions = world.snapshots.kept.map(({ revision }) => revision);
    const gaps = revisions.slice(1).map((revision, index) => revision - revisions[index]!);
    expect(gaps[0]).toBeGreaterThan(2);
    expect([...gaps].sort((a, b) => a - b)).toEqual(gaps);
  });
});

describe('A snapshot that is of no use', () => {
  const otherLog = async (...ids: readonly string[]): Promise<World> => {
    const { snapshots } = await worldOf('1', '2', '3');
    const world = new World(new WatchedStore(), snapshots);
    const elsewhere = new World(world.store, new WatchedSnapshots());
    for (const id of ids) await elsewhere.add(id, 10);
    return world;
  };

  test.each([
    ['where the log has other events', ['x', 'y', 'z'], 31],
    ['where the log does not reach so far', ['x'], 11],
    ['where the log is empty', [], 1],
  ])('is discarded %s', async (_, ids, total) => {
    const world = await otherLog(...ids);
    expect(totalOf(await world.add('4'))).toBe(total);
    expect(world.snapshots.reasons).toEqual(['it was made from another log than this one']);
    expect(await world.restart().total()).toBe(total);
    expect(world.snapshots.reasons).toHaveLength(1);
  });

  const replacedBy = async (change: (good: Snapshot) => Snapshot): Promise<World> => {
    const world = await worldOf('1', '2', '3');
    const [good] = world.snapshots.kept;
    await world.snapshots.discard(good!, 'another takes its place');
    await world.snapshots.keep(change(good!));
    return world.restart();
  };

  test.each([
    ['a byte of its state', ({ state }: Snapshot) => ({ state: state.with(-1, state.at(-1)! ^ 1) })],
    ['its revision', () => ({ revision: 2 })],
    ['its hash', () => ({ hash: 'b'.repeat(64) })],
  ])('is discarded where %s is not what it was', async (_, change) => {
    const world = await replacedBy((good) => ({ ...good, ...change(good) }));
    expect(totalOf(await world.add('4'))).toBe(4);
    expect(world.snapshots.reasons.at(-1)).toBe('it is damaged');
  });

  test('is discarded where it is in a format that nobody knows here', async () => {
    const world = await replacedBy((good) => {
      const state = Buffer.from('from the future');
      return { ...good, state, digest: digestOf({ ...good, state }) };
    });
    expect(totalOf(await world.add('4'))).toBe(4);
    expect(world.snapshots.reasons.at(-1)).toMatch(/^it cannot be read here/);
  });
});

describe('A release that does not know all events', () => {
  test('is stopped by them also where they lie behind a snapshot', async () => {
    const world = await worldOf('1', '2');
    expect(world.snapshots.kept).toMatchObject([{ revision: 1 }]);
    const older = new CommandHandler(
      { ...tallyAggregate, decider: ofVersion(1), versions: { Counted: [] } as never },
      { store: world.store, snapshots: world.snapshots, clock: manualClock(start), backoff: noBackoff },
    );
    await expect(older.read('a', 0, () => null)).rejects.toThrow(UnreadableEvent);
  });
});
