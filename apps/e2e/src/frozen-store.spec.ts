import { signalProcess } from '@florin/dev-platform';
import {
  describeWithEventStoreDb,
  EVENTSTOREDB_TIMEOUT_MS,
  pauseProcess,
  startTestEventStoreDb,
} from '@florin/dev-platform/testing';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { ApiClient, type ApiResponse } from './harness/client';
import { Florin, runCli } from './harness/florin';
import { composition } from './harness/running-florin';
import { until } from './harness/until';

/** Beyond the documented four seconds of a write, and below the 30 of one page of the log. */
const requestTimeoutMs = 20_000;
const services =
  composition === 'cluster' ? ['ledger', 'operations', 'invoicing', 'webhook-dispatcher', 'projector'] : [];

describeWithEventStoreDb('an EventStoreDB that accepts connections and is silent', () => {
  let eventStore: Awaited<ReturnType<typeof startTestEventStoreDb>>;
  let florin: Florin;
  let client: ApiClient;
  let monitors: ReadonlyMap<string, ApiClient>;

  beforeAll(async () => {
    eventStore = await startTestEventStoreDb();
    florin = await Florin.start({ env: settings() });
    client = new ApiClient(florin.baseUrl, florin.credentials.companies[0]!.keys.sandbox);
    const others = await Promise.all(services.map(async (name) => [name, await florin.monitorOf(name)] as const));
    monitors = new Map([['the API', new ApiClient(florin.baseUrl, undefined)], ...others]);
  }, 2 * EVENTSTOREDB_TIMEOUT_MS);

  afterAll(async () => {
    signalProcess(eventStore.server.pid, 'SIGCONT');
    await florin.stop();
    florin.removeData();
    await eventStore.remove();
  });

  const settings = () => ({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStore.server.url });
  const fund = (key: string): Promise<ApiResponse> =>
    client.send('POST', '/api/v1/sandbox/funding', {
      body: { amount: '5' },
      headers: { 'Idempotency-Key': key },
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
  /** Waits until every process has the status, for a reason that contains this text. */
  const readiness = async (status: number, reason = ''): Promise<ApiResponse[]> =>
    Promise.all(
      [...monitors].map(([name, monitor]) =>
        until(
          `${name} reports ${status} ${reason}`,
          () => monitor.get('/health/ready'),
          (response) => response.status === status && JSON.stringify(response.body).includes(reason),
          60_000,
        ),
      ),
    );

  it('makes every process unready and requests fail, and loses and repeats nothing', async () => {
    expect((await fund('before')).status).toBe(201);
    expect(await client.balance()).toMatchObject({ balance: '5.00' });

    await pauseProcess(eventStore.server.pid);
    // The first request may use a company that was read before; the second one cannot.
    for (const attempt of [1, 2]) {
      expect([attempt, await fund('during')]).toMatchObject([attempt, { status: 503, body: { code: 'unavailable' } }]);
    }
    for (const { body } of await readiness(503)) {
      expect(body).toMatchObject({
        status: 'unavailable',
        checks: { 'event store': { ok: false }, database: { ok: true } },
      });
    }
    for (const monitor of monitors.values()) expect((await monitor.get('/health/live')).status).toBe(200);
    const read = await client.send('GET', '/api/v1/balance', { signal: AbortSignal.timeout(requestTimeoutMs) });
    expect(read).toMatchObject({ status: 503, body: { code: 'unavailable' } });

    signalProcess(eventStore.server.pid, 'SIGCONT');
    await readiness(200);
    const repeated = await until(
      'the repeat succeeds',
      () => fund('during'),
      ({ status }) => status === 201,
      60_000,
    );
    expect((await fund('during')).body).toEqual(repeated.body);
    expect(await client.balance()).toMatchObject({ balance: '10.00' });
  });

  it(
    'refuses writes and makes every process unready while another server is behind its address',
    async () => {
      const { server, dataDirectory } = eventStore;
      await server.kill();
      renameSync(dataDirectory, `${dataDirectory}-known`);
      mkdirSync(dataDirectory);
      await server.restart();
      const refused = await until(
        'a write is refused',
        () => fund('elsewhere'),
        ({ body }) => (body as { code?: string }).code === 'event_store_mismatch',
        60_000,
      );
      expect(refused.status).toBe(503);
      const reason = 'is not the event store of this database: it has no identity';
      for (const { body } of await readiness(503, reason)) {
        expect(body).toMatchObject({ checks: { 'event store': { ok: false } } });
      }
      await server.kill();
      renameSync(dataDirectory, `${dataDirectory}-empty`);
      renameSync(`${dataDirectory}-known`, dataDirectory);
      await server.restart();
      await readiness(200);
      // Connections that have failed are opened again after a pause.
      const read = await until(
        'a read succeeds',
        () => client.get('/api/v1/balance'),
        ({ status }) => status === 200,
        60_000,
      );
      expect(read.body).toMatchObject({ balance: '10.00' });
      await until(
        'the repeat succeeds',
        () => fund('elsewhere'),
        ({ status }) => status === 201,
        60_000,
      );
      expect(await client.balance()).toMatchObject({ balance: '15.00' });
      rmSync(`${dataDirectory}-empty`, { recursive: true });
    },
    2 * EVENTSTOREDB_TIMEOUT_MS,
  );

  it('leaves an intact log and correct books, as verified beside it and after it was stopped', async () => {
    const env = { ...settings(), FLORIN_DATA_DIR: florin.dataDirectory };
    const verify = (): void => {
      expect(runCli(['verify', '--json'], env)).toMatchObject({ broken: [] });
      expect(runCli(['audit', '--json'], env)).toMatchObject({ flaws: [] });
    };
    verify();
    const account = `${florin.credentials.companies[0]!.id}-sandbox`;
    expect(runCli(['explain', 'balance', account, '--json'], env)).toMatchObject({ kind: 'balance' });
    runCli(['replay', '--json'], env);
    expect(await florin.stop()).toBe(0);
    verify();
  });
});
