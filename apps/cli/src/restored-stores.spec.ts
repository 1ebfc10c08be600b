import { PostgresCheckpointStore, PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { createPool, type DatabaseConnection, databaseUrl } from '@florin/database';
import { createTestDatabase, testServer } from '@florin/database/testing';
import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import {
  catchUp,
  type EventStore,
  LogPublicKeys,
  LogSigningKey,
  openStore,
  Progress,
  runLogSigner,
} from '@florin/event-sourcing';
import { commandLog, silentLog } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { accountAggregate } from '@florin/ledger-domain';
import { comparedProjections } from '@florin/read-models/tools';
import { Client } from 'pg';
import type { AuditReport } from './audit/audit-report';
import { appendAll, openEventStoreDb, type OpenedEventStoreDb } from './testing/open-eventstoredb';
import { runCommand } from './testing/run-command';

jest.setTimeout(2 * EVENTSTOREDB_TIMEOUT_MS);

const accountId = 'c0ffee00-0000-4000-8000-000000000001-sandbox';
const key = LogSigningKey.generate();

/** docs/OPERATIONS.md says that the database is backed up before the log. */
describeWithEventStoreDb('Stores that are restored from backups', () => {
  let [live, backup]: Awaited<ReturnType<typeof startTestEventStoreDb>>[] = [];
  let store: OpenedEventStoreDb;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  const older = (): DatabaseConnection => ({
    ...database.connection,
    database: `${database.connection.database}_older`,
  });

  beforeAll(async () => {
    [live, backup, database] = await Promise.all([
      startTestEventStoreDb('--mem-db'),
      startTestEventStoreDb('--mem-db'),
      createTestDatabase(),
    ]);
    store = await openEventStoreDb(live!.server.url);
    const id = await openStore(store, { service: 'ledger', florinVersion: '1.0.0', clock: systemClock });
    await query(
      database.connection,
      `INSERT INTO event_store.store_identity (kind, id) VALUES ('eventstoredb', '${id}')`,
    );
    await deposit('first');
    await process(database.connection);
    await backUp();
    await deposit('second');
    await process(database.connection);
  });

  afterAll(async () => {
    await store.close();
    await Promise.all([live!.remove(), backup!.remove()]);
    await query(testServer(), `DROP DATABASE IF EXISTS ${older().database} WITH (FORCE)`);
    await database.drop();
  });

  async function query(connection: DatabaseConnection, sql: string): Promise<void> {
    const client = new Client({ ...connection });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  async function deposit(depositId: string): Promise<void> {
    const data = { depositId, reference: depositId, amount: '5.00', fee: '0.00', description: '', fingerprint: 'f' };
    const { runner } = commandLog(store);
    await runner(accountAggregate, () => accountId)({ type: 'DepositFunds', data: { accountId, ...data } });
  }

  /** Both, as they are now. */
  async function backUp(): Promise<void> {
    await until(() =>
      query(testServer(), `CREATE DATABASE ${older().database} TEMPLATE ${database.connection.database}`).then(
        () => true,
        () => false,
      ),
    );
    const { events } = await store.readAll({ after: 0n });
    await appendAll(backup!.server.url, events);
  }

  /** Projects and signs the log to its end. */
  async function process(connection: DatabaseConnection, log: EventStore = store): Promise<void> {
    const pool = createPool(connection, { max: 2 });
    const checkpoints = new PostgresCheckpointStore(connection);
    const checkpointLog = new PostgresLogCheckpoints(pool);
    const runtime = { store: log, checkpoints, progress: new Progress(), log: silentLog, isTransient: () => false };
    const head = await log.head();
    for (const projection of comparedProjections) await catchUp(projection, runtime, head);
    const keys = { key, earlierKeys: new LogPublicKeys([]), storeName: 'eventstoredb', clock: systemClock };
    const signer = runLogSigner({ ...runtime, ...keys, checkpointLog, maxAgeMs: 50 });
    await until(async () => (await checkpointLog.newest())?.position === head);
    await signer.stop();
    await checkpoints.close();
    await pool.end();
  }

  const environment = (connection: DatabaseConnection, { server }: Pick<NonNullable<typeof live>, 'server'>) => ({
    ...{ DATABASE_URL: databaseUrl(connection), EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: server.url },
    LOG_PUBLIC_KEYS: key.publicKey.text,
  });

  it('continue if the log is newer than the database', async () => {
    const env = environment(older(), live!);
    expect(await runCommand(['verify', '--checkpoints', 'stored'], env)).toMatchObject({ exitCode: 0 });
    await process(older());
    const { flaws, readModels } = JSON.parse((await runCommand(['audit', '--json'], env)).out) as AuditReport;
    expect(flaws).toEqual([]);
    expect(new Set(readModels.map(({ state }) => state))).toEqual(new Set(['agrees']));
  });

  it('are reported if the database is newer than the log', async () => {
    const env = environment(database.connection, backup!);
    const { exitCode } = await runCommand(['verify', '--checkpoints', 'stored'], env);
    expect([1, 3]).toContain(exitCode);
  });
});
