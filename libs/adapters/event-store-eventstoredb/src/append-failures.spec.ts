import {
  AppendOutcomeUnknown,
  AppendTooLarge,
  type Backoff,
  beforeFirst,
  EventStoreOverloaded,
  EventStoreUnreachable,
  type EventToAppend,
  noStream,
  RevisionConflict,
} from '@florin/event-sourcing';
import { idsOf, newEvent, newEvents, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { AppendRefused, isTransientEventStoreError } from './append-failures';
import { EventStoreDbEventStore, type EventStoreDbEventStoreOptions } from './eventstoredb-event-store.adapter';
import { FakeEventStoreDb, type Fault } from './testing';

jest.setTimeout(30_000);

const lostBefore: Fault = { kind: 'drop', when: 'before' };
const lostAfter: Fault = { kind: 'drop', when: 'after' };

describe('An append to EventStoreDB', () => {
  let server: FakeEventStoreDb;
  let observer: EventStoreDbEventStore;
  const stores: EventStoreDbEventStore[] = [];

  beforeEach(async () => {
    server = await FakeEventStoreDb.start();
    observer = open();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await server.stop();
  });

  function open(options: EventStoreDbEventStoreOptions = {}, url = server.url): EventStoreDbEventStore {
    const store = new EventStoreDbEventStore(url, options);
    stores.push(store);
    return store;
  }

  /** Runs a task between a failed attempt and the next one. */
  function betweenAttempts(action: () => Promise<void>): Backoff {
    return { wait: action };
  }

  describe('that fails', () => {
    it.each([
      ['before it was stored', [lostBefore]],
      ['after it was stored', [lostAfter]],
      ['several times', [lostBefore, lostAfter, lostAfter]],
    ])('stores it once when the connection is lost %s', async (_when, faults) => {
      const events = newEvents(3);
      const stream = newStream();
      const store = open();
      server.faults.plan('append', ...faults);
      await store.append(stream, noStream, events);
      await store.append(stream, 2, [newEvent()]);
      expect(idsOf(await wholeStream(observer, stream)).slice(0, 3)).toEqual(idsOf(events));
      expect(await wholeStream(observer, stream)).toHaveLength(4);
    });

    it('succeeds when it was stored and other appends followed before the next attempt', async () => {
      const [own, next] = [newEvent(), newEvent()];
      const stream = newStream();
      server.faults.plan('append', lostAfter);
      const store = open({ backoff: betweenAttempts(() => observer.append(stream, 0, [next])) });
      await store.append(stream, noStream, [own]);
      expect(idsOf(await wholeStream(observer, stream))).toEqual(idsOf([own, next]));
    });

    it('is a conflict when it was lost and another append came first', async () => {
      const rival = newEvent();
      const stream = newStream();
      server.faults.plan('append', lostBefore);
      const store = open({ backoff: betweenAttempts(() => observer.append(stream, noStream, [rival])) });
      await expect(store.append(stream, noStream, [newEvent()])).rejects.toBeInstanceOf(RevisionConflict);
      expect(idsOf(await wholeStream(observer, stream))).toEqual([rival.id]);
    });

    it('stores it once when the first attempt is processed after the second', async () => {
      const event = newEvent();
      const stream = newStream();
      const paused = server.faults.pause('append');
      await open({ appendTimeoutMs: 500 }).append(stream, noStream, [event]);
      paused.release();
      await observer.append(stream, 0, [newEvent()]);
      expect(await wholeStream(observer, stream)).toHaveLength(2);
    });

    it('stores it once when the network duplicates it', async () => {
      const stream = newStream();
      server.faults.plan('append', { kind: 'duplicate' });
      await open().append(stream, noStream, newEvents(2));
      expect(await wholeStream(observer, stream)).toHaveLength(2);
    });

    it('waits for a server that is starting or was restarted', async () => {
      const stream = newStream();
      const store = open();
      server.faults.unavailable('append');
      await store.append(stream, noStream, [newEvent()]);
      await server.restart();
      await store.append(stream, 0, [newEvent()]);
      expect(await wholeStream(observer, stream)).toHaveLength(2);
    });

    it('follows a redirect to the leader', async () => {
      const leader = await FakeEventStoreDb.start();
      try {
        const stream = newStream();
        server.faults.notLeader('append', leader.port);
        await open().append(stream, noStream, [newEvent()]);
        expect(await wholeStream(open({}, leader.url), stream)).toHaveLength(1);
        expect(await wholeStream(observer, stream)).toEqual([]);
      } finally {
        await leader.stop();
      }
    });

    it('reports that nothing was stored when the server was never reached', async () => {
      const store = open({ retryForMs: 0 });
      server.down();
      const failure: unknown = await store.append(newStream(), noStream, [newEvent()]).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(EventStoreUnreachable);
      expect(failure).toMatchObject({ message: expect.stringContaining('EVENTSTORE_URL') as unknown });
    });

    it('does not wait for a retry that would begin too late', async () => {
      const untilAborted: Backoff = {
        wait: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
      };
      const store = open({ retryForMs: 50, backoff: untilAborted });
      server.down();
      await expect(store.append(newStream(), noStream, [newEvent()])).rejects.toBeInstanceOf(EventStoreUnreachable);
    });

    it('reports an unknown outcome when the server stays unreachable, and a retry resolves it', async () => {
      const event = newEvent();
      const stream = newStream();
      const store = open({ retryForMs: 50, backoff: betweenAttempts(async () => server.down()) });
      server.faults.plan('append', lostAfter);
      await expect(store.append(stream, noStream, [event])).rejects.toBeInstanceOf(AppendOutcomeUnknown);
      await server.up();
      await open().append(stream, noStream, [event]);
      expect(await wholeStream(observer, stream)).toHaveLength(1);
    });
  });

  describe('that can never succeed', () => {
    async function refusalOf(stream: string, events: readonly EventToAppend[], revision = noStream): Promise<unknown> {
      return open()
        .append(stream, revision, events)
        .catch((error: unknown) => error);
    }

    it('is rejected permanently when it is too large, and stores nothing', async () => {
      const stream = newStream();
      const refusal = await refusalOf(stream, newEvents(20, { data: JSON.stringify('x'.repeat(60_000)) }));
      expect(refusal).toBeInstanceOf(AppendTooLarge);
      expect(refusal).toMatchObject({ message: expect.stringContaining('larger than 1048576 bytes') as unknown });
      expect(await wholeStream(observer, stream)).toEqual([]);
    });

    it('is rejected permanently when the server denies access', async () => {
      server.faults.unauthenticated('append');
      const refusal = await refusalOf(newStream(), [newEvent()]);
      expect(refusal).toBeInstanceOf(AppendRefused);
      expect(refusal).toMatchObject({ message: expect.stringContaining('check the user') as unknown });
    });

    it.each([
      ['a reserved stream name', '$settings', noStream, newEvent()],
      ['an empty stream name', '', noStream, newEvent()],
      ['an invalid revision', newStream(), -2, newEvent()],
      ['half a revision', newStream(), 0.5, newEvent()],
      ['an id that is not a UUID', newStream(), noStream, newEvent({ id: 'one' })],
      ['an event without a type', newStream(), noStream, newEvent({ type: '' })],
    ])('is rejected before it is sent: %s', async (_what, stream, revision, event) => {
      const head = await observer.head();
      const refusal = await refusalOf(stream, [event], revision);
      expect(refusal).toBeInstanceOf(Error);
      expect(refusal).not.toBeInstanceOf(RevisionConflict);
      expect(await observer.head()).toBe(head);
    });
  });

  describe('classified as transient or permanent', () => {
    const failureOf = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => Promise.reject(new Error('It did not fail')),
        (error: unknown) => error,
      );

    it('is transient while the server is unreachable or overloaded', async () => {
      const store = open({ retryForMs: 0 });
      server.down();
      const failures = [
        await failureOf(store.append(newStream(), noStream, [newEvent()])),
        await failureOf(wholeStream(store, newStream())),
        await failureOf(store.head()),
        new AppendOutcomeUnknown(new Error('connection lost')),
        new EventStoreOverloaded(),
      ];
      for (const failure of failures) expect(isTransientEventStoreError(failure)).toBe(true);
    });

    it('is permanent when the server rejects it', async () => {
      const stream = newStream();
      const store = open();
      await store.append(stream, noStream, [newEvent()]);
      const tooLarge = newEvents(20, { data: JSON.stringify('x'.repeat(60_000)) });
      const failures = [
        await failureOf(store.append(stream, 7, [newEvent()])),
        await failureOf(store.append(stream, 0, tooLarge)),
        new Error('anything else'),
      ];
      for (const method of ['append', 'read'] as const) server.faults.unauthenticated(method);
      failures.push(await failureOf(store.append(stream, 0, [newEvent()])), await failureOf(store.head()));
      for (const failure of failures) expect(isTransientEventStoreError(failure)).toBe(false);
    });
  });

  it('waits for a free slot and is not sent before', async () => {
    const store = open();
    const streams = Array.from({ length: 300 }, () => newStream());
    const pausedCalls = streams.slice(0, 256).map(() => server.faults.pause('append'));
    const appended = Promise.all(streams.map((stream) => store.append(stream, noStream, [newEvent()])));
    await Promise.all(pausedCalls.map(({ arrived }) => arrived));
    expect(await observer.head()).toBe(beforeFirst);
    for (const paused of pausedCalls) paused.release();
    await appended;
    for (const stream of streams) expect(await wholeStream(observer, stream)).toHaveLength(1);
  });

  it('survives that several connections break at once, and rejects a read in progress at its end', async () => {
    const store = open();
    for (let round = 0; round < 3; round++) {
      const appends = Array.from({ length: 20 }, () => store.append(newStream(), noStream, [newEvent()]));
      server.dropConnections();
      await Promise.all(appends);
    }
    const paused = server.faults.pause('read');
    const head = store.head();
    head.catch(() => undefined);
    await paused.arrived;
    await store.close();
    await expect(head).rejects.toThrow();
    paused.release();
    await expect(store.head()).rejects.toThrow('The event store is closed');
  });

  it('is finished before the store is closed', async () => {
    const stream = newStream();
    const store = open();
    const paused = server.faults.pause('append');
    const appended = store.append(stream, noStream, [newEvent()]);
    await paused.arrived;
    const closed = store.close();
    paused.release();
    await Promise.all([appended, closed]);
    expect(await wholeStream(observer, stream)).toHaveLength(1);
  });

  it('reaches a server with a KurrentDB address', async () => {
    const stream = newStream();
    await open({}, server.url.replace('esdb:', 'kurrentdb:')).append(stream, noStream, [newEvent()]);
    expect(await wholeStream(observer, stream)).toHaveLength(1);
  });
});
