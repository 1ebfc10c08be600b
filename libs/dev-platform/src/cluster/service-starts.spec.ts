import { BusKeys } from '@florin/bus-trust';
import { createPool, migrateDatabase, provideVaultKeyFile } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { LogSigningKey } from '@florin/event-sourcing';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, loopback } from '../network/free-port';
import { TcpProxy } from '../network/tcp-proxy';
import { newFolder } from '../testing/stub-service';
import { ProgramRun } from './program-run';
import { planServices, type ServiceName, serviceNames, type ServiceSettings } from './services';

const unreachable = `${loopback}:1`;
const migration = '20261117000400_store_identity';
const tronAddress = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

jest.setTimeout(180_000);

/** The compiled services, each of them without the others and without Kafka. */
describe('every service', () => {
  const folder = newFolder();
  let database: TestDatabase;
  let databasePort: number;
  let databaseProxy: TcpProxy | undefined;
  const runs: ProgramRun[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    databasePort = await freePort();
  });

  afterEach(async () => {
    await Promise.all(runs.splice(0).map((run) => run.kill()));
    await databaseProxy?.close();
    databaseProxy = undefined;
    await database.drop();
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const startDatabase = async (): Promise<void> => {
    const path = join(database.connection.host!, '.s.PGSQL.5432');
    databaseProxy = await TcpProxy.start({ listen: { port: databasePort }, upstreams: () => [{ path }] });
  };

  const asOwner = async (...statements: readonly string[]): Promise<void> => {
    const pool = createPool(database.connection, { max: 1 });
    for (const statement of statements) await pool.query(statement);
    await pool.end();
  };

  async function start(service: ServiceName, changes: Partial<ServiceSettings> = {}) {
    const programs = planServices({
      ...{ dataDirectory: folder, replicas: {}, baseUrl: 'http://127.0.0.1:3000', eventStore: 'postgres' },
      env: {
        ...{ TRON_NODE_URL: `http://${unreachable}`, TRON_ADDRESSES: tronAddress, TRON_USDT_CONTRACT: tronAddress },
        ...{ TRON_START_BLOCK: '1', FLORIN_SEED: 'none', SHUTDOWN_NOTICE_SECONDS: '0' },
      },
      fileOf: (name) => join(__dirname, '../../../../apps', name, 'dist/main.js'),
      operatorToken: 'x'.repeat(24),
      vaultKeyFile: provideVaultKeyFile(folder),
      logSigningKey: LogSigningKey.generate().pem,
      kafkaBrokers: unreachable,
      kafkaConnectionOf: () => ({}),
      busKeys: BusKeys.generate(),
      databaseUrlFor: (role) =>
        `postgres://${database.connectionAs(role).user}@${loopback}:${databasePort}/${database.connection.database}`,
      ...changes,
    });
    const program = programs.find((planned) => planned.service === service)!;
    const port = await freePort();
    const run = new ProgramRun(program, port, { line: () => undefined, changed: () => undefined });
    runs.push(run);
    const get = (path: string): Promise<Response> => fetch(`http://${loopback}:${port}${path}`);
    return { run, get };
  }

  type Started = Awaited<ReturnType<typeof start>>;

  /** All services at once: most of their start is waiting. */
  const ofAll = <Each>(all: readonly Each[], check: (each: Each) => Promise<void>) => Promise.all(all.map(check));

  /** Waits until readiness has the status and contains the text. */
  async function readiness({ run, get }: Started, status: number, text: string): Promise<unknown> {
    const deadline = Date.now() + 90_000;
    let last: string | undefined;
    do {
      const response = await get('/health/ready').catch(() => undefined);
      last = await response?.text();
      if (response?.status === status && last?.includes(text)) return JSON.parse(last) as unknown;
      await delay(50);
    } while (Date.now() < deadline);
    throw new Error(`Readiness did not become ${status} with "${text}"; it is ${last}. Output:\n${run.recentOutput}`);
  }

  const waitsForKafka = [503, 'still starting, waiting for the command bus'] as const;
  const withoutKafka: Partial<Record<ServiceName, readonly (readonly [status: number, text: string])[]>> = {
    // Serves reads after a while.
    gateway: [waitsForKafka, [200, '"required":false']],
    // Does not use Kafka.
    projector: [[200, '"command bus":{"ok":true}']],
  };

  it('listens before its database and Kafka are available, and waits for them', async () => {
    const started = await Promise.all(serviceNames.map(async (name) => ({ name, ...(await start(name)) })));
    const reason = `The database of DATABASE_URL cannot be reached at ${loopback}:${databasePort} (ECONNREFUSED)`;
    const isLive = async ({ get }: Started) => expect((await get('/health/live')).status).toBe(200);
    await ofAll(started, async (service) => {
      await readiness(service, 503, `still starting, waiting for the database: ${reason}`);
      await isLive(service);
    });
    await startDatabase();
    await ofAll(started, async (service) => {
      for (const expected of withoutKafka[service.name] ?? [waitsForKafka]) await readiness(service, ...expected);
      await isLive(service);
      await service.run.stop();
      expect(await service.run.exited).toBe('code 0');
    });
  });

  /** Stores an event or a checkpoint as a release did that did not record the event store. */
  const earlierRelease = {
    postgres: `INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
      VALUES (1, 'account-1', 0, gen_random_uuid(), 'T', '{}', '{}')`,
    eventstoredb: `WITH projection AS (INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('companies', 1))
      INSERT INTO event_store.subscription_shards (subscription, shard, position, epoch) VALUES ('companies', 0, 4711, 1)`,
  };

  const services = { postgres: serviceNames, eventstoredb: ['ledger'] } as const;

  describe.each([
    ['postgres', 'eventstoredb', 'Set EVENT_STORE=postgres, or choose another database'],
    ['eventstoredb', 'postgres', 'Set EVENT_STORE=eventstoredb and EVENTSTORE_URL, or choose another database'],
  ] as const)('on a database of an earlier release with its events in %s', (recorded, configured, remedy) => {
    beforeEach(async () => {
      await asOwner(
        'DROP TABLE event_store.store_identity',
        `DELETE FROM public._prisma_migrations WHERE migration_name = '${migration}'`,
        earlierRelease[recorded],
      );
      await migrateDatabase(database.connection);
      await startDatabase();
    });

    it(`rejects EVENT_STORE=${configured}`, async () => {
      const changes = { eventStore: configured, eventStoreUrl: `esdb://${unreachable}?tls=false` };
      const rejection = `The events of this database are stored in ${recorded}, but EVENT_STORE is ${configured}. ${remedy}`;
      await ofAll(services[recorded], async (name) => {
        const { run } = await start(name, changes);
        expect([name, await run.exited]).toEqual([name, 'code 1']);
        expect(run.recentOutput).toContain(rejection);
      });
    });
  });
});
