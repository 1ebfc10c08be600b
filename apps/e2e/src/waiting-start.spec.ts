import { type Endpoint, freePort, loopback, ManagedProcess, TcpProxy } from '@florin/dev-platform';
import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient, type ApiResponse } from './harness/client';
import { databaseOf } from './harness/event-log';
import { Florin } from './harness/florin';
import { newDataDirectory, programOf } from './harness/florin-process';
import { composition } from './harness/running-florin';
import { until } from './harness/until';

/** Services that start alone are in `service-starts.spec.ts` of the development platform. */
(composition === 'all-in-one' ? describe : describe.skip)('a start', () => {
  const folder = newDataDirectory();
  const lines: string[] = [];
  let port: number;
  let waiting: ManagedProcess;
  let client: ApiClient;
  let proxy: TcpProxy | undefined;

  beforeEach(async () => {
    port = await freePort();
    lines.length = 0;
  });

  afterEach(async () => {
    await waiting.kill();
    await proxy?.close();
    proxy = undefined;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    const ownPort = await freePort();
    const program = programOf('all-in-one', { ...env, PORT: String(ownPort), FLORIN_DATA_DIR: folder });
    waiting = new ManagedProcess({ ...program, onLine: (line) => lines.push(line) });
    client = new ApiClient(`http://${loopback}:${ownPort}`, undefined);
  }

  /** Waits until readiness contains the text. */
  async function readiness(text: string): Promise<ApiResponse> {
    const read = async (): Promise<ApiResponse | undefined> => client.get('/health/ready').catch(() => undefined);
    const response = await until(text, read, (reading) => reading?.text.includes(text) === true, 60_000);
    return response!;
  }

  async function becomesReadyThrough(upstream: Endpoint): Promise<void> {
    proxy = await TcpProxy.start({ listen: { port }, upstreams: () => [upstream] });
    expect(await readiness('"status":"ready"')).toMatchObject({ status: 200 });
  }

  async function stop(): Promise<void> {
    waiting.signal('SIGTERM');
    await waiting.exited;
    expect(waiting.exitCode).toBe(0);
  }

  describe('without a database', () => {
    let other: Florin;
    let env: Readonly<Record<string, string>>;
    let socket: string;

    beforeAll(async () => {
      other = await Florin.start();
    });

    beforeEach(() => {
      const { DATABASE_URL, VAULT_KEY_FILE } = databaseOf(other);
      const url = new URL(DATABASE_URL);
      socket = join(url.searchParams.get('host')!, '.s.PGSQL.5432');
      url.searchParams.delete('host');
      url.host = `${loopback}:${port}`;
      env = { DATABASE_URL: url.href, VAULT_KEY_FILE, FLORIN_SEED: 'none' };
    });

    afterAll(async () => {
      expect(await other.stop()).toBe(0);
      other.removeData();
    });

    it('listens, reports what it waits for, and becomes ready when the database is available', async () => {
      await start(env);
      const reason = `The database of DATABASE_URL cannot be reached at ${loopback}:${port} (ECONNREFUSED)`;
      const response = await readiness(`still starting, waiting for the database: ${reason}`);
      expect(response).toMatchObject({ status: 503, body: { status: 'unavailable' } });
      expect((await client.get('/health/live')).status).toBe(200);
      expect((await client.get('/api/v1/balance')).body).toMatchObject({ statusCode: 503, code: 'unavailable' });
      await becomesReadyThrough({ path: socket });
      expect((await client.get('/api/v1/balance')).status).toBe(401);
      await stop();
      expect(lines.join('\n')).not.toContain(new URL(env['DATABASE_URL']!).password);
    });

    it('can be stopped', async () => {
      await start(env);
      await readiness('ECONNREFUSED');
      await stop();
    });
  });

  describeWithEventStoreDb('without an event store', () => {
    let eventStore: Awaited<ReturnType<typeof startTestEventStoreDb>>;

    beforeAll(async () => {
      eventStore = await startTestEventStoreDb('--mem-db');
    }, EVENTSTOREDB_TIMEOUT_MS);

    afterAll(() => eventStore.remove());

    it('listens, reports what it waits for, and becomes ready when the event store is available', async () => {
      await start({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: `esdb://${loopback}:${port}?tls=false` });
      const response = await readiness('still starting, waiting for the event store: ');
      expect(response).toMatchObject({ status: 503, body: { status: 'unavailable' } });
      expect((await client.get('/health/live')).status).toBe(200);
      await becomesReadyThrough({ port: eventStore.server.port });
      await stop();
    });
  });
});
