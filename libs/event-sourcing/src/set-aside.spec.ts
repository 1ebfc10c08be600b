import { assertNever, serviceActor } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import fc from 'fast-check';
import { eventCodec } from './event-codec';
import { type CommandMessage, NoReply } from './ports/command-bus.port';
import type { EventToAppend, RecordedEvent } from './ports/event-store.port';
import { Progress } from './progress';
import { type Process, runProcess } from './run-process';
import { type Projection, runProjection } from './run-projection';
import type { RunningSubscription } from './subscription';
import type { SubscriptionRuntime } from './subscription-options';
import { InMemoryCheckpointStore, type InMemoryTransaction } from './testing/in-memory-checkpoint-store';
import { InMemoryEventStore } from './testing/in-memory-event-store';
import { noBackoff } from './testing/no-backoff';

jest.setTimeout(30_000);

/** An event of the old release (`Added` 1), or one that only the new release can read. */
type Kind = 'known' | 'new version' | 'new type';

interface Added {
  readonly type: 'Added';
  readonly data: { readonly id: string };
}
interface Removed {
  readonly type: 'Removed';
  readonly data: { readonly id: string };
}

const oldCodec = eventCodec<Added>({ Added: [] });
const newCodec = eventCodec<Added | Removed>({ Added: [(data) => data], Removed: [] });
type Codec = typeof oldCodec | typeof newCodec;

function event(id: string, kind: Kind = 'known'): EventToAppend {
  const schemaVersion = kind === 'new version' ? 2 : 1;
  const actor = serviceActor('test');
  const metadata = { schemaVersion, recordedAt: '', correlationId: 'c', causationId: 'r', hash: '', actor };
  const type = kind === 'new type' ? 'Removed' : 'Added';
  return { id, type, data: JSON.stringify({ id }), metadata: JSON.stringify(metadata) };
}

/** The ids of all processed events by stream, in the order in which they were processed. */
class Model implements Projection<InMemoryTransaction> {
  readonly name = 'model';
  readonly categories = ['tally'];
  readonly rows = new Map<string, string[]>();
  readonly processed: string[] = [];
  failing: (recorded: RecordedEvent) => void = () => undefined;

  constructor(
    private readonly codec: Codec,
    stored?: Model,
  ) {
    for (const [stream, ids] of stored?.rows ?? []) this.rows.set(stream, [...ids]);
  }

  async project(events: readonly RecordedEvent[], tx: InMemoryTransaction): Promise<void> {
    for (const recorded of events) {
      const { id } = this.codec.decode(recorded).event.data;
      this.failing(recorded);
      tx.onCommit(() => {
        this.rows.set(recorded.stream, [...(this.rows.get(recorded.stream) ?? []), id]);
        this.processed.push(id);
      });
    }
  }
}

class Outage extends Error {}

function setUp(overrides: Partial<SubscriptionRuntime<InMemoryTransaction>> = {}) {
  const store = new InMemoryEventStore();
  const checkpoints = new InMemoryCheckpointStore();
  const logged: { level: string; message: string; details: object }[] = [];
  const note = (level: string) => (details: object, message: string) => void logged.push({ level, message, details });
  const runtime: SubscriptionRuntime<InMemoryTransaction> = {
    ...{ store, checkpoints, progress: new Progress(), backoff: noBackoff, balanceEveryMs: 5 },
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    isTransient: (error) => error instanceof Outage,
    ...overrides,
  };
  const revisions = new Map<string, number>();
  const append = async (stream: string, ...events: EventToAppend[]): Promise<void> => {
    const revision = revisions.get(stream) ?? -1;
    await store.append(stream, revision, events);
    revisions.set(stream, revision + events.length);
  };
  const setAside = async (name = 'model') => {
    const membership = await checkpoints.another().join(name, 1);
    const entries = await membership.setAside();
    await membership.leave();
    return entries;
  };
  const caughtUp = async (name = 'model') => (await checkpoints.position(name)) === (await store.head());
  return { store, checkpoints, runtime, logged, append, setAside, caughtUp };
}

const running: RunningSubscription[] = [];
const started = (subscription: RunningSubscription): RunningSubscription => {
  running.push(subscription);
  return subscription;
};
const stopAll = async (): Promise<void> => {
  await Promise.all(running.splice(0).map((subscription) => subscription.stop()));
};
afterEach(stopAll);

describe('a stream with an event that this release cannot read', () => {
  it.each(['new type', 'new version'] as const)('is set aside, and all others continue: %s', async (kind) => {
    const { runtime, append, setAside, caughtUp, logged } = setUp();
    await append('tally-a', event('a0'), event('a1', kind), event('a2'));
    await append('tally-b', event('b0'));
    const model = new Model(oldCodec);
    const subscription = started(runProjection(model, runtime));
    await until(caughtUp);
    await append('tally-a', event('a3'));
    await append('tally-b', event('b1'));
    await until(caughtUp);
    expect(Object.fromEntries(model.rows)).toEqual({ 'tally-a': ['a0'], 'tally-b': ['b0', 'b1'] });
    expect(subscription.status()).toEqual({ state: 'running' });
    const type = kind === 'new type' ? 'Removed' : 'Added';
    const schemaVersion = kind === 'new type' ? 1 : 2;
    const at = { stream: 'tally-a', type, schemaVersion };
    expect(await setAside()).toEqual([{ ...at, position: 2n, revision: 1, reason: expect.any(String) as string }]);
    expect(logged).toEqual([
      {
        level: 'error',
        details: { ...at, subscription: 'model', shard: 0, position: '2' },
        message: expect.stringMatching(
          /^Set a stream aside.*tally-a@1 is unknown to this release; use the release that/,
        ) as string,
      },
    ]);
    expect(runtime.progress.known()).toMatchObject([{ subscription: 'model', setAside: 1 }]);
  });

  it('stays set aside after a restart of the same release', async () => {
    const { runtime, append, setAside, caughtUp } = setUp();
    await append('tally-a', event('a0', 'new type'), event('a1'));
    started(runProjection(new Model(oldCodec), runtime));
    await until(caughtUp);
    await stopAll();
    const model = new Model(oldCodec);
    started(runProjection(model, runtime));
    await append('tally-a', event('a2'));
    await append('tally-b', event('b0'));
    await until(caughtUp);
    expect(model.processed).toEqual(['b0']);
    expect(await setAside()).toHaveLength(1);
  });

  it('stops the subscription when too many are set aside', async () => {
    const { runtime, append } = setUp({ maxSetAsideStreams: 2 });
    for (const stream of ['a', 'b', 'c']) await append(`tally-${stream}`, event(stream, 'new type'));
    const subscription = started(runProjection(new Model(oldCodec), runtime));
    await until(() => subscription.status().state === 'stopped');
    expect(subscription.status()).toMatchObject({ reason: expect.stringContaining('tally-c@0') as string });
  });

  it('is also set aside when the subscription skips most types: the unknown one may be one that it needs', async () => {
    const { runtime, append, caughtUp, setAside } = setUp();
    await append('tally-a', event('a0', 'new type'), event('a1'));
    await append('tally-b', event('b0'));
    const model = Object.assign(new Model(oldCodec), { eventTypes: ['Added'], knownEventTypes: ['Added', 'Other'] });
    started(runProjection(model, runtime));
    await until(caughtUp);
    expect(model.processed).toEqual(['b0']);
    expect(await setAside()).toMatchObject([{ stream: 'tally-a', type: 'Removed' }]);
  });
});

describe('a release that can read the events', () => {
  it('catches up at its start, in order, while new events are processed', async () => {
    const { runtime, append, caughtUp, setAside, logged } = setUp();
    await append('tally-a', event('a0'), event('a1', 'new type'), event('a2'));
    const old = new Model(oldCodec);
    started(runProjection(old, runtime));
    await until(caughtUp);
    await stopAll();
    const model = new Model(newCodec, old);
    await append('tally-b', event('b0'));
    started(runProjection(model, runtime));
    await until(async () => (await setAside()).length === 0 && caughtUp());
    await append('tally-a', event('a3'));
    await until(caughtUp);
    expect(Object.fromEntries(model.rows)).toEqual({ 'tally-a': ['a0', 'a1', 'a2', 'a3'], 'tally-b': ['b0'] });
    expect(logged.at(-1)).toMatchObject({ level: 'info', message: 'Caught up with a stream that was set aside' });
    await until(() => runtime.progress.known()[0]?.setAside === 0);
  });

  it('keeps a stream aside that fails for another reason', async () => {
    const { runtime, append, caughtUp, setAside, logged } = setUp();
    for (const stream of ['a', 'b'])
      await append(`tally-${stream}`, event(`${stream}0`, 'new type'), event(`${stream}1`));
    started(runProjection(new Model(oldCodec), runtime));
    await until(caughtUp);
    await stopAll();
    const model = new Model(newCodec);
    model.failing = ({ id }) => {
      if (id === 'a1') throw new Error('a1 is poison');
    };
    const subscription = started(runProjection(model, runtime));
    await until(async () => (await setAside()).length === 1 && logged.some(({ level }) => level === 'info'));
    expect(await setAside()).toMatchObject([{ stream: 'tally-a', position: 2n, reason: 'a1 is poison' }]);
    expect(model.processed.sort()).toEqual(['a0', 'b0', 'b1']);
    expect(subscription.status()).toEqual({ state: 'running' });
  });

  const kind = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Kind>('known') },
    fc.constantFrom<Kind>('new type', 'new version'),
  );
  const entries = fc.array(fc.tuple(fc.nat(4), kind), { minLength: 1, maxLength: 40 });

  it('leads to the rows of a projection without a gap, also after crashes, on any number of shards', async () => {
    const flows = fc.asyncProperty(
      entries,
      entries,
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.nat(6), { maxLength: 4 }),
      async (before, during, shards, pageSize, crashes) => {
        const { runtime, append, caughtUp, setAside, checkpoints } = setUp({ pageSize, balanceEveryMs: 1 });
        let count = 0;
        const appendAll = async (events: typeof before): Promise<void> => {
          for (const [stream, kind] of events) await append(`tally-${stream}`, event(`${count++}`, kind));
        };
        await appendAll(before);
        const old = new Model(oldCodec);
        started(runProjection(old, runtime, shards));
        await until(caughtUp);
        await stopAll();
        const model = new Model(newCodec, old);
        let left = crashes[0] ?? Infinity;
        const planned = [...crashes];
        model.failing = () => {
          if (left-- > 0) return;
          planned.shift();
          left = planned[0] ?? Infinity;
          checkpoints.crash();
          throw new Outage();
        };
        // Two replicas share the shards.
        started(runProjection(model, runtime, shards));
        started(runProjection(model, { ...runtime, checkpoints: checkpoints.another() }, shards));
        await appendAll(during);
        await until(async () => (await setAside()).length === 0 && (await caughtUp()));
        await stopAll();
        const expected = new Map<string, string[]>();
        [...before, ...during].forEach(([stream], index) => {
          expected.set(`tally-${stream}`, [...(expected.get(`tally-${stream}`) ?? []), `${index}`]);
        });
        expect(Object.fromEntries(model.rows)).toEqual(Object.fromEntries(expected));
      },
    );
    await fc.assert(flows, { numRuns: 25 });
  });
});

describe('a process', () => {
  const process = (codec: Codec, overrides: Partial<Process> = {}): Process => ({
    name: 'adding',
    categories: ['tally'],
    eventTypes: ['Added'],
    knownEventTypes: ['Added'],
    react: (recorded) => {
      const { type, data } = codec.decode(recorded).event;
      switch (type) {
        case 'Added':
        case 'Removed':
          return [{ context: 'test', key: 'k', command: { type: `Follow${type}`, data } }];
        default:
          return assertNever(type);
      }
    },
    ...overrides,
  });
  const newProcess = process(newCodec, { eventTypes: ['Added', 'Removed'], knownEventTypes: ['Added', 'Removed'] });
  const name = 'process adding';

  class Bus {
    readonly sent: string[] = [];
    unreadable: (id: string) => boolean = () => false;

    async request<Reply>({ command }: CommandMessage): Promise<Reply> {
      const { id } = command.data as { id: string };
      if (this.unreadable(id)) {
        // As the Kafka bus transmits it.
        throw new NoReply('failed', { cause: Object.assign(new Error('x is unknown'), { name: 'UnreadableEvent' }) });
      }
      this.sent.push(id);
      return { ok: true } as Reply;
    }

    async send(): Promise<void> {}
  }

  it('sets a stream aside, and reacts to its events after the upgrade, each once', async () => {
    const { runtime, append, setAside, caughtUp } = setUp();
    const bus = new Bus();
    await append('tally-a', event('a0'), event('a1', 'new type'), event('a2'));
    await append('tally-b', event('b0'));
    started(runProcess(process(oldCodec), bus, runtime));
    await until(() => caughtUp(name));
    expect(bus.sent.sort()).toEqual(['a0', 'b0']);
    await stopAll();
    started(runProcess(newProcess, bus, runtime));
    await until(async () => (await setAside(name)).length === 0);
    expect(bus.sent).toEqual(['a0', 'b0', 'a1', 'a2']);
  });

  it('sets the stream of an event aside whose command needs a stream that its service cannot read', async () => {
    const { runtime, append, setAside, caughtUp } = setUp({ retryBlockedMs: 5 });
    const bus = new Bus();
    bus.unreadable = (id) => id === 'a0';
    await append('tally-a', event('a0'), event('a1'));
    await append('tally-b', event('b0'));
    const subscription = started(runProcess(process(oldCodec), bus, runtime));
    await until(() => caughtUp(name));
    expect(bus.sent).toContain('b0');
    expect(bus.sent).not.toContain('a0');
    expect(await setAside(name)).toMatchObject([
      { stream: 'tally-a', position: 1n, reason: 'Added at tally-a@0 has to wait: x is unknown' },
    ]);
    expect(subscription.status()).toEqual({ state: 'running' });
    // The other service is updated, and this process is not restarted.
    bus.unreadable = () => false;
    await until(async () => (await setAside(name)).length === 0);
    // A batch is sent concurrently and repeated after a failure. Handlers recognize the ids of the commands.
    expect(bus.sent.filter((id) => id === 'a0')).toHaveLength(1);
    expect(bus.sent.lastIndexOf('a1')).toBeGreaterThan(bus.sent.indexOf('a0'));
  });

  it('sets all blocked streams of a batch aside at once', async () => {
    const { runtime, append, setAside, caughtUp } = setUp();
    const bus = new Bus();
    bus.unreadable = (id) => id !== 'x';
    for (let stream = 0; stream < 50; stream++)
      await append(`tally-${stream}`, event(`${stream}`), event(`${stream}+`));
    await append('tally-x', event('x'));
    started(runProcess(process(oldCodec), bus, runtime));
    await until(() => caughtUp(name));
    expect(await setAside(name)).toHaveLength(50);
    expect(bus.sent).toEqual(['x', 'x']);
    bus.unreadable = () => false;
    await stopAll();
    started(runProcess(process(oldCodec), bus, runtime));
    await until(async () => (await setAside(name)).length === 0);
    expect(new Set(bus.sent).size).toBe(101);
  });

  it('stops when it depends on the order of all streams', async () => {
    const { runtime, append } = setUp();
    await append('tally-a', event('a0', 'new type'));
    const subscription = started(runProcess(process(oldCodec, { inOrder: true }), new Bus(), runtime));
    await until(() => subscription.status().state === 'stopped');
    expect(subscription.status()).toMatchObject({ reason: expect.stringContaining('use the release') as string });
  });
});
