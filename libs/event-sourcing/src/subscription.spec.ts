import { serviceActor } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { noBackoff } from './testing/no-backoff';
import type { CommandMessage } from './ports/command-bus.port';
import type { EventPage, EventToAppend, RecordedEvent } from './ports/event-store.port';
import { Progress } from './progress';
import { type Process, runProcess } from './run-process';
import { type Projection, runProjection } from './run-projection';
import { shardOf } from './shard-of';
import type { RunningSubscription } from './subscription';
import { problemOf, type SubscriptionRuntime } from './subscription-options';
import { InMemoryCheckpointStore } from './testing/in-memory-checkpoint-store';
import { InMemoryEventStore } from './testing/in-memory-event-store';

type Tx = unknown;

class Outage extends Error {}

/** A read model of the ids of its events. */
class SeenIds implements Projection<Tx> {
  readonly name = 'seen-ids';
  readonly categories = ['tally'];
  readonly ids: string[] = [];
  readonly batches: number[] = [];
  failing: (event: RecordedEvent) => Error | undefined = () => undefined;

  async project(events: readonly RecordedEvent[]): Promise<void> {
    for (const event of events) {
      const error = this.failing(event);
      if (error) throw error;
    }
    this.batches.push(events.length);
    this.ids.push(...events.map((event) => event.id));
  }
}

/** Positions are byte offsets, and every read finds one more event. */
class SparseStore extends InMemoryEventStore {
  asked = 0;

  override async *subscribe(): AsyncGenerator<EventPage> {
    for (;;) {
      this.asked += 1;
      const position = BigInt(this.asked) * 1_000_000n;
      const recorded = { ...event(`${this.asked}`), stream: 'tally-a', revision: this.asked - 1, position };
      yield { events: [recorded], readTo: position, isLast: true };
    }
  }
}

function event(id: string): EventToAppend {
  const metadata = JSON.stringify({
    schemaVersion: 1,
    recordedAt: '',
    correlationId: `c-${id}`,
    causationId: 'r',
    hash: '',
  });
  return { id, type: 'Incremented', data: '{}', metadata };
}

function setUp(overrides: Partial<SubscriptionRuntime<Tx>> = {}) {
  const store = new InMemoryEventStore();
  const logged: string[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const runtime: SubscriptionRuntime<Tx> = {
    store,
    checkpoints: new InMemoryCheckpointStore(),
    progress: new Progress(),
    log: { info: note, warn: note, error: note },
    isTransient: (error) => error instanceof Outage,
    backoff: noBackoff,
    balanceEveryMs: 5,
    ...overrides,
  };
  return { store, runtime, logged };
}

describe('a subscription', () => {
  const running: RunningSubscription[] = [];
  const started = (subscription: RunningSubscription): RunningSubscription => {
    running.push(subscription);
    return subscription;
  };

  afterEach(async () => {
    await Promise.all(running.splice(0).map((subscription) => subscription.stop()));
  });

  it('processes every event once, first catching up and then live, in batches', async () => {
    const { store, runtime } = setUp();
    const view = new SeenIds();
    await store.append('tally-a', -1, [event('1'), event('2')]);
    await store.append('other-a', -1, [event('x')]);
    started(runProjection(view, runtime));
    await until(() => view.ids.length === 2);
    await store.append('tally-b', -1, [event('3')]);
    await until(() => view.ids.length === 3);
    expect(view.ids).toEqual(['1', '2', '3']);
    expect(view.batches[0]).toBe(2);
  });

  it('continues after its checkpoint when it is restarted', async () => {
    const { store, runtime } = setUp();
    const view = new SeenIds();
    await store.append('tally-a', -1, [event('1')]);
    const first = started(runProjection(view, runtime));
    await until(() => view.ids.length === 1);
    await first.stop();
    expect(first.status()).toEqual({ state: 'ended' });
    expect(runtime.progress.known()).toEqual([]);
    await store.append('tally-a', 0, [event('2')]);
    started(runProjection(view, runtime));
    await until(() => view.ids.length === 2);
    expect(view.ids).toEqual(['1', '2']);
  });

  it('skips events of other types', async () => {
    const { store, runtime } = setUp();
    const view = new SeenIds();
    await store.append('tally-a', -1, [event('1'), { ...event('2'), type: 'WiredUp' }]);
    started(runProjection(Object.assign(view, { eventTypes: ['WiredUp'] }), runtime));
    await until(() => runtime.progress.hasReached('seen-ids', 2n));
    expect(view.ids).toEqual(['2']);
  });

  it('moves its checkpoint past events of other categories', async () => {
    const { store, runtime } = setUp();
    started(runProjection(new SeenIds(), runtime));
    await store.append('other-a', -1, [event('x')]);
    await store.append('other-a', 0, [event('y')]);
    await untilReached(runtime, 'seen-ids', 2n);
    expect(runtime.progress.hasReached('seen-ids', 2n)).toBe(true);
    expect(runtime.progress.hasReached('seen-ids', 3n)).toBe(false);
  });

  it('does not linger while more events follow a page, even a short one', async () => {
    const { store, runtime } = setUp({ pageSize: 2, lingerMs: 3_600_000 });
    const view = new SeenIds();
    for (let index = 0; index < 9; index++) await store.append(`tally-${index}`, -1, [event(`${index}`)]);
    started(runProjection(view, runtime));
    await until(() => view.ids.length === 9);
    expect(view.batches).toEqual([2, 2, 2, 2, 1]);
  });

  it('lingers at the end of the log, regardless of gaps between positions, until a reader waits', async () => {
    const store = new SparseStore();
    const { runtime } = setUp({ store, lingerMs: 3_600_000 });
    const view = new SeenIds();
    started(runProjection(view, runtime));
    await until(() => view.ids.length === 1);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(store.asked).toBe(1);
    void runtime.progress.waitForProgress(view.name, 1);
    await until(() => view.ids.length > 1);
  });

  it('lingers longer while no other replica runs it', async () => {
    const store = new SparseStore();
    const { runtime } = setUp({ store, lingerMs: 1, lingerAloneMs: 3_600_000 });
    const view = new SeenIds();
    started(runProjection(view, runtime));
    await until(() => view.ids.length === 1);
    await delay(20);
    expect(store.asked).toBe(1);
  });

  it('does not linger longer while another replica runs it', async () => {
    const checkpoints = new InMemoryCheckpointStore();
    const { runtime } = setUp({ store: new SparseStore(), checkpoints, lingerMs: 1, lingerAloneMs: 3_600_000 });
    const view = new SeenIds();
    await checkpoints.another().join(view.name, 1);
    started(runProjection(view, runtime));
    await until(() => view.ids.length > 20);
  });

  it('does not linger longer if it is prompt', async () => {
    const { runtime } = setUp({ store: new SparseStore(), lingerMs: 1, lingerAloneMs: 3_600_000 });
    const view = Object.assign(new SeenIds(), { isPrompt: true });
    started(runProjection(view, runtime));
    await until(() => view.ids.length > 20);
  });

  it('retries for the whole duration of an outage', async () => {
    const { store, runtime } = setUp({ attemptsPerBatch: 2 });
    const view = new SeenIds();
    let failures = 20;
    view.failing = () => (failures-- > 0 ? new Outage('the database is unreachable') : undefined);
    await store.append('tally-a', -1, [event('1')]);
    const subscription = started(runProjection(view, runtime));
    await until(() => view.ids.length === 1);
    expect(subscription.status()).toEqual({ state: 'running' });
  });

  it('reports since when it cannot read the store, and recovers without new events', async () => {
    const { store, runtime } = setUp();
    let isDown = true;
    const head = store.head.bind(store);
    store.head = async () => (isDown ? Promise.reject(new Outage('the store is unreachable')) : head());
    const subscribe = store.subscribe.bind(store);
    store.subscribe = async function* (query, signal) {
      await store.head();
      yield* subscribe(query, signal);
    };
    const subscription = started(runProjection(new SeenIds(), { ...runtime, backoff: { wait: () => nextTurn() } }));
    await until(() => subscription.status().state === 'retrying');
    const status = subscription.status();
    expect(status).toMatchObject({ reason: 'the store is unreachable' });
    expect(problemOf(status, Date.now())).toBeUndefined();
    expect(problemOf(status, Date.now() + 6_000)).toMatch(/^has been failing for \d+ s: the store is unreachable$/);
    isDown = false;
    await until(() => subscription.status().state === 'running');
  });

  it('stops at a poison event, after all events before it and before all after it', async () => {
    const { store, runtime, logged } = setUp({ attemptsPerBatch: 3 });
    const view = new SeenIds();
    view.failing = ({ id }) => (id === 'bad' ? new Error('invalid event') : undefined);
    await store.append('tally-a', -1, [event('1'), event('2'), event('bad'), event('4')]);
    const subscription = started(runProjection(view, runtime));
    await until(() => subscription.status().state === 'stopped');
    expect(view.ids).toEqual(['1', '2']);
    expect(subscription.status()).toMatchObject({
      reason: expect.stringMatching(/Incremented \(tally-a@2, position 3\): invalid event/),
    });
    expect(logged.at(-1)).toMatch(/^Subscription stopped at Incremented/);
    await expect(runtime.checkpoints.position('seen-ids')).resolves.toBe(2n);
  });

  it('is distributed over replicas, with each stream in order at exactly one of them', async () => {
    const { store, runtime } = setUp();
    const views = [new SeenIds(), new SeenIds(), new SeenIds()];
    for (const view of views) started(runProjection(view, runtime, 6));
    for (let index = 0; index < 300; index++) {
      await store.append(`tally-${index % 30}`, Math.floor(index / 30) - 1, [
        event(`${index % 30}/${Math.floor(index / 30)}`),
      ]);
      if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until(() => views.reduce((sum, view) => sum + view.ids.length, 0) >= 300);
    const all = views.flatMap((view) => view.ids);
    expect(new Set(all).size).toBe(300);
    expect(all).toHaveLength(300);
    for (let stream = 0; stream < 30; stream++) {
      // A shard may move in between, so the events of one stream can be at two replicas; each part is in order.
      for (const view of views) {
        const revisions = view.ids.filter((id) => id.startsWith(`${stream}/`)).map((id) => Number(id.split('/')[1]));
        expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
      }
    }
  });

  it('uses the stored number of shards instead of its configuration', async () => {
    const { store, runtime } = setUp();
    await (await runtime.checkpoints.join('seen-ids', 1)).leave();
    const streams = Array.from({ length: 8 }, (_, index) => `tally-${index}`);
    for (const stream of streams) await store.append(stream, -1, [event(stream)]);
    const view = new SeenIds();
    started(runProjection(view, runtime, 4));
    await until(() => view.ids.at(-1) === 'tally-7');
    expect(view.ids).toEqual(streams);
  });

  it('moves the shards of a leaving replica to the others', async () => {
    const { store, runtime } = setUp();
    const [leaving, staying] = [new SeenIds(), new SeenIds()];
    const first = started(runProjection(leaving, runtime, 4));
    started(runProjection(staying, runtime, 4));
    for (let index = 0; index < 20; index++) await store.append(`tally-${index}`, -1, [event(`${index}`)]);
    await until(() => leaving.ids.length + staying.ids.length === 20);
    await first.stop();
    for (let index = 20; index < 40; index++) await store.append(`tally-${index}`, -1, [event(`${index}`)]);
    await until(() => leaving.ids.length + staying.ids.length === 40);
    expect(new Set([...leaving.ids, ...staying.ids]).size).toBe(40);
  });
});

describe('a process', () => {
  const process: Process = {
    name: 'mirror',
    categories: ['tally'],
    eventTypes: ['Incremented'],
    react: ({ id }) => [{ context: 'mirrors', key: 'k', command: { type: 'Mirror', data: { id } } }],
  };

  it('waits for the reply to every command before its checkpoint moves, with ids that a repeat keeps', async () => {
    const { store, runtime } = setUp();
    const received: CommandMessage[] = [];
    let failures = 3;
    const bus = {
      request: async <Reply>(message: CommandMessage): Promise<Reply> => {
        received.push(message);
        if (failures-- > 0) throw new Outage('no reply');
        return { ok: true, repeated: false, answer: null } as Reply;
      },
      send: () => Promise.reject(new Error('A process waits for replies')),
    };
    await store.append('tally-a', -1, [event('1'), event('2')]);
    const subscription = runProcess(process, bus, runtime);
    await untilReached(runtime, 'process mirror', 2n);
    await subscription.stop();
    const byEvent = groupByCause(received);
    expect([...byEvent.keys()]).toEqual(['1', '2']);
    for (const messages of byEvent.values()) expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
    expect(received[0]).toMatchObject({
      context: 'mirrors',
      key: 'k',
      headers: { correlationId: 'c-1', causationId: '1', actor: serviceActor('mirror') },
    });
  });

  it('passes on the actor of the event to commands that complete a decision', async () => {
    const { store, runtime } = setUp();
    const received: CommandMessage[] = [];
    const bus = {
      request: async <Reply>(message: CommandMessage): Promise<Reply> => {
        received.push(message);
        return { ok: true, repeated: false, answer: null } as Reply;
      },
      send: () => Promise.reject(new Error('A process waits for replies')),
    };
    const operator = { kind: 'operator', id: 'o1' };
    const decided = event('1');
    const metadata = JSON.stringify({ ...(JSON.parse(decided.metadata) as object), actor: operator });
    const early = event('2');
    await store.append('tally-a', -1, [{ ...decided, metadata }, early]);
    const keeping: Process = {
      ...process,
      react: (each) => process.react(each).map((step) => ({ ...step, keepsActor: true })),
    };
    const subscription = runProcess(keeping, bus, runtime);
    await untilReached(runtime, 'process mirror', 2n);
    await subscription.stop();
    const actors = Object.fromEntries(received.map(({ headers }) => [headers.causationId, headers.actor]));
    expect(actors).toEqual({ '1': operator, '2': serviceActor('mirror') });
  });

  it('skips events of other types and moves its checkpoint past them', async () => {
    const { store, runtime } = setUp();
    const bus = { request: () => Promise.reject(new Error('nothing to send')), send: async () => undefined };
    const subscription = runProcess({ ...process, eventTypes: ['SomethingElse'] }, bus, runtime);
    await store.append('tally-a', -1, [event('1')]);
    await untilReached(runtime, 'process mirror', 1n);
    await subscription.stop();
    expect(subscription.status()).toEqual({ state: 'ended' });
  });

  it('stops when a command that must succeed is refused', async () => {
    const { store, runtime } = setUp({ attemptsPerBatch: 2 });
    const refusal = { refused: 'nonsense', message: 'refused for the test' };
    const bus = {
      request: async <Reply>(): Promise<Reply> => ({ ok: false, refusal }) as Reply,
      send: async () => undefined,
    };
    await store.append('tally-a', -1, [event('1')]);
    const subscription = runProcess(process, bus, runtime);
    await until(() => subscription.status().state === 'stopped');
    expect(subscription.status()).toMatchObject({ reason: expect.stringMatching(/Mirror was refused as nonsense/) });
    await expect(runtime.checkpoints.position('process mirror')).resolves.toBe(0n);
    await subscription.stop();
  });
});

describe('A process with expected refusals', () => {
  const answered = (refused?: string) => {
    const received: CommandMessage[] = [];
    const refusal = { refused, message: 'another replica already did it' };
    const bus = {
      request: async <Reply>(message: CommandMessage): Promise<Reply> => {
        received.push(message);
        return (refused === undefined ? { ok: true, repeated: false, answer: null } : { ok: false, refusal }) as Reply;
      },
      send: async () => undefined,
    };
    return { bus, received };
  };
  const step = { context: 'mirrors', key: 'k', command: { type: 'Mirror', data: {} } };

  it('continues after expected refusals', async () => {
    const { store, runtime } = setUp({ attemptsPerBatch: 1 });
    const { bus } = answered('done_before');
    const process = {
      name: 'm',
      categories: ['tally'],
      eventTypes: ['Incremented'],
      react: () => [{ ...step, tolerates: ['done_before'] }],
    };
    await store.append('tally-a', -1, [event('1')]);
    const subscription = runProcess(process, bus, runtime);
    await untilReached(runtime, 'process m', 1n);
    await subscription.stop();
    expect(subscription.status()).toEqual({ state: 'ended' });
  });

  it('skips a failing command that is retried elsewhere, except during an outage', async () => {
    const { store, runtime } = setUp({ attemptsPerBatch: 1 });
    const failures = [new Outage('no database'), new Error('handler failed')];
    let requests = 0;
    const bus = {
      request: (): Promise<never> => Promise.reject(failures[Math.min(requests++, 1)]!),
      send: async () => undefined,
    };
    const process = {
      name: 'm',
      categories: ['tally'],
      eventTypes: ['Incremented'],
      react: () => [{ ...step, retriedElsewhere: true }],
    };
    await store.append('tally-a', -1, [event('1')]);
    const subscription = runProcess(process, bus, runtime);
    await untilReached(runtime, 'process m', 1n);
    await subscription.stop();
    expect(requests).toBe(2);
  });
});

describe('An ordered process', () => {
  const process: Process = {
    name: 'm',
    categories: ['tally'],
    eventTypes: ['Incremented'],
    react: () => [{ context: 'mirrors', key: 'k', command: { type: 'Mirror', data: {} } }],
  };

  /** The maximum number of concurrent commands, and the events they came from. */
  async function watched(inOrder: boolean): Promise<{ atOnce: number; causes: readonly string[] }> {
    const { store, runtime } = setUp();
    const causes: string[] = [];
    let underWay = 0;
    let atOnce = 0;
    const bus = {
      request: async <Reply>({ headers }: CommandMessage): Promise<Reply> => {
        causes.push(headers.causationId);
        atOnce = Math.max(atOnce, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return { ok: true, repeated: false, answer: null } as Reply;
      },
      send: async () => undefined,
    };
    await store.append('tally-a', -1, [event('1'), event('2'), event('3')]);
    const subscription = runProcess({ ...process, inOrder }, bus, runtime);
    await untilReached(runtime, 'process m', 3n);
    await subscription.stop();
    return { atOnce, causes };
  }

  it('sends a command only after the reply to the previous one', async () => {
    await expect(watched(true)).resolves.toEqual({ atOnce: 1, causes: ['1', '2', '3'] });
  });

  it('is not the default', async () => {
    await expect(watched(false)).resolves.toMatchObject({ atOnce: 3 });
  });
});

describe('shardOf', () => {
  it('is a fixed function that distributes streams evenly', () => {
    const counts = new Array<number>(8).fill(0);
    for (let index = 0; index < 8_000; index++) counts[shardOf(`account-${index}`, 8)]! += 1;
    for (const count of counts) expect(count).toBeGreaterThan(800);
    expect([shardOf('account-a', 8), shardOf('account-b', 8), shardOf('account-a', 1)]).toEqual([6, 3, 0]);
  });
});

async function untilReached(
  { checkpoints }: Pick<SubscriptionRuntime<unknown>, 'checkpoints'>,
  subscription: string,
  position: bigint,
): Promise<void> {
  await until(async () => (await checkpoints.position(subscription)) >= position);
}

function groupByCause(messages: readonly CommandMessage[]): Map<string, CommandMessage[]> {
  const groups = new Map<string, CommandMessage[]>();
  for (const message of messages) {
    const { causationId } = message.headers;
    groups.set(causationId, [...(groups.get(causationId) ?? []), message]);
  }
  return groups;
}
