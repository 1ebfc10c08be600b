import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  type AllStreamSubscription,
  BACKWARDS,
  END,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  START,
  StreamNotFoundError,
  streamNameFilter,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { EventStoreDbTestServer } from './eventstoredb-test-server';

describe('EventStoreDbTestServer with the official client', () => {
  let server: EventStoreDbTestServer;
  let client: EventStoreDBClient;
  const clients: EventStoreDBClient[] = [];

  beforeEach(async () => {
    server = await EventStoreDbTestServer.start();
    client = connect(server);
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((each) => each.dispose()));
    await server.stop();
  });

  function connect(to: EventStoreDbTestServer): EventStoreDBClient {
    const connected = EventStoreDBClient.connectionString(to.url);
    clients.push(connected);
    return connected;
  }

  function event(n = 0) {
    return jsonEvent({ id: randomUUID(), type: 'Happened', data: { n }, metadata: { by: 'a test' } });
  }

  async function numbersOf(reading: AsyncIterable<{ event?: { data: unknown } }>): Promise<unknown[]> {
    const numbers: unknown[] = [];
    for await (const { event: found } of reading) numbers.push((found?.data as { n?: number }).n);
    return numbers;
  }

  const viaBatchAppend = {};
  /** The client uses the plain append for a call with credentials. */
  const viaAppend = { credentials: { username: 'admin', password: 'changeit' } };

  describe.each([
    ['BatchAppend', viaBatchAppend],
    ['Append', viaAppend],
  ])('%s', (_name, options) => {
    it('appends at the expected revision and returns the position', async () => {
      const first = await client.appendToStream('a-1', [event(), event()], { ...options, expectedRevision: NO_STREAM });
      const second = await client.appendToStream('a-1', event(), { ...options, expectedRevision: 1n });
      expect([first, second]).toMatchObject([
        { success: true, nextExpectedRevision: 1n },
        { success: true, nextExpectedRevision: 2n },
      ]);
      expect(second.position!.commit).toBeGreaterThan(first.position!.commit);
    });

    it('rejects a wrong revision and returns the current one', async () => {
      await client.appendToStream('a-1', [event(), event()], { ...options, expectedRevision: NO_STREAM });
      const refusal: unknown = await client
        .appendToStream('a-1', event(), { ...options, expectedRevision: 7n })
        .catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(WrongExpectedVersionError);
      expect(refusal).toMatchObject({ actualVersion: 1n, expectedVersion: 7n });
    });

    it('stores repeated events once', async () => {
      const events = [event(1), event(2)];
      const twice = { ...options, expectedRevision: NO_STREAM } as const;
      await client.appendToStream('a-1', events, twice);
      await client.appendToStream('a-1', events, twice);
      expect(await numbersOf(client.readStream('a-1'))).toEqual([1, 2]);
    });
  });

  it('reads a stream in both directions and in pages, and rejects an unknown stream', async () => {
    await client.appendToStream('a-1', [event(0), event(1), event(2)]);
    expect(await numbersOf(client.readStream('a-1', { fromRevision: 1n }))).toEqual([1, 2]);
    expect(await numbersOf(client.readStream('a-1', { maxCount: 2 }))).toEqual([0, 1]);
    const backwards = { direction: BACKWARDS, fromRevision: END } as const;
    expect(await numbersOf(client.readStream('a-1', backwards))).toEqual([2, 1, 0]);
    await expect(numbersOf(client.readStream('a-2'))).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  it('reads all streams, including system streams, from returned positions only', async () => {
    const { position } = await client.appendToStream('a-1', event(1));
    await client.appendToStream('b-1', event(2));
    const everything = await numbersOf(client.readAll({ fromPosition: START }));
    expect(everything).toEqual([undefined, 1, 2]);
    expect(await numbersOf(client.readAll({ fromPosition: position }))).toEqual([1, 2]);
    expect(await numbersOf(client.readAll({ fromPosition: END, direction: BACKWARDS, maxCount: 1 }))).toEqual([2]);
    const nowhere = { commit: position!.commit + 1n, prepare: position!.prepare + 1n };
    await expect(numbersOf(client.readAll({ fromPosition: nowhere }))).rejects.toThrow('no record begins there');
  });

  describe('a subscription', () => {
    async function next(subscription: AllStreamSubscription, count: number): Promise<unknown[]> {
      const seen: unknown[] = [];
      for await (const { event: found } of subscription) {
        seen.push((found?.data as { n: number }).n);
        if (seen.length === count) return seen;
      }
      throw new Error('The subscription ended early');
    }

    it('starts after the position, applies the filter, and follows live', async () => {
      const { position } = await client.appendToStream('a-1', event(1));
      await client.appendToStream('b-1', event(2));
      await client.appendToStream('a-1', event(3));
      const filter = streamNameFilter({ prefixes: ['a-'] });
      const subscription = client.subscribeToAll({ fromPosition: position, filter });
      const seen = next(subscription, 2);
      await once(subscription, 'caughtUp');
      await client.appendToStream('a-2', event(4));
      expect(await seen).toEqual([3, 4]);
    });

    it('sends checkpoints', async () => {
      const appended = await client.appendToStream('b-1', [event(1), event(2), event(3)]);
      const reached = new Promise((resolve) => {
        const filter = streamNameFilter({
          regex: '^a-',
          maxSearchWindow: 4,
          checkpointReached: (_subscription, position) => resolve(position),
        });
        client.subscribeToAll({ filter }).on('error', () => undefined);
      });
      expect(await reached).toEqual(appended.position);
    });

    it('to a single stream is rejected', async () => {
      const [error] = await once(
        client.subscribeToStream('a-1').on('error', () => undefined),
        'error',
      ).catch((refusal: unknown) => [refusal]);
      expect(error).toMatchObject({ message: expect.stringContaining('$all only') as unknown });
    });

    it('sends every event twice on demand', async () => {
      const { position } = await client.appendToStream('a-1', event(1));
      await client.appendToStream('a-1', event(2));
      server.faults.plan('subscribe', { kind: 'duplicate' });
      expect(await next(client.subscribeToAll({ fromPosition: position }), 2)).toEqual([2, 2]);
    });
  });

  describe('on demand', () => {
    it('refuses a call and stores nothing', async () => {
      server.faults.unavailable('append');
      await expect(client.appendToStream('a-1', event())).rejects.toBeInstanceOf(UnavailableError);
      await expect(numbersOf(client.readStream('a-1'))).rejects.toBeInstanceOf(StreamNotFoundError);
    });

    it.each([
      ['before', 0],
      ['after', 1],
    ] as const)('drops the connection %s it has stored an append', async (when, stored) => {
      server.faults.plan('append', { kind: 'drop', when });
      await expect(client.appendToStream('a-1', event())).rejects.toThrow();
      const streams = (await server.stop()).map(({ stream }) => stream);
      expect(streams.filter((stream) => stream === 'a-1')).toHaveLength(stored);
      server = await EventStoreDbTestServer.start();
    });

    it('pauses a call', async () => {
      const paused = server.faults.pause('append');
      const appended = client.appendToStream('a-1', event());
      await paused.arrived;
      await expect(numbersOf(client.readStream('a-1'))).rejects.toBeInstanceOf(StreamNotFoundError);
      paused.release();
      expect(await appended).toMatchObject({ success: true });
    });
  });

  it('keeps stored events across a restart and in a replacement server', async () => {
    const { position } = await client.appendToStream('a-1', event(1));
    await server.restart();
    // The first call may still use the dropped connection.
    const read = () => numbersOf(client.readStream('a-1'));
    expect(await read().catch(read)).toEqual([1]);
    server = await EventStoreDbTestServer.start({ history: await server.stop() });
    const appended = await connect(server).appendToStream('a-1', event(2), { expectedRevision: 0n });
    expect(appended.position!.commit).toBeGreaterThan(position!.commit);
    expect(await numbersOf(connect(server).readStream('a-1'))).toEqual([1, 2]);
  });
});
