import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { createPool } from '@florin/database';
import { catchUp, Progress, runProjection } from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { randomId } from '@florin/kernel';
import { testVaultKeys, until } from '@florin/kernel/testing';
import type { Pool } from 'pg';
import { allProjections, readModels as createReadModels } from './all-projections';
import { acmeKey, history, record } from './companies/testing/history';
import { companiesProjection } from './companies/companies.projection';
import { ReadModelsInUse, replayReadModels, type ReplayRuntime } from './replay-read-models';

jest.setTimeout(30_000);

let database: TestDatabase;
let pool: Pool;
let store: PostgresEventStore;
let checkpoints: PostgresCheckpointStore;
let runtime: ReplayRuntime;

const readModels = createReadModels(testVaultKeys);
const companies = readModels.filter(({ projection }) => projection === companiesProjection);
const tables = [
  'read_models.companies',
  'read_models.api_keys',
  'read_models.api_key_secrets',
  'gateway.api_key_usage',
];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  store = new PostgresEventStore(database.connection);
  checkpoints = new PostgresCheckpointStore(database.connection);
  runtime = { store, checkpoints, isTransient: () => false, log: silentLog, shardCount: 1 };
  for (const { stream, revision, ...event } of record(history)) await store.append(stream, revision - 1, [event]);
  await catchUp(companiesProjection, running(), await store.head(), { shardCount: 2 });
  await pool.query('INSERT INTO gateway.api_key_usage VALUES ($1, now())', [acmeKey]);
});

afterAll(async () => {
  await Promise.all([store.close(), checkpoints.close(), pool.end()]);
  await database.drop();
});

const running = () => ({ ...runtime, progress: new Progress() });

async function everything(): Promise<readonly unknown[]> {
  return Promise.all(tables.map(async (table) => (await pool.query(`SELECT * FROM ${table} ORDER BY 1`)).rows));
}

describe('The read models', () => {
  it('cover all tables of their schema', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'read_models' ORDER BY 1`,
    );
    const owned = readModels.flatMap((readModel) => readModel.tables);
    expect([...owned].sort()).toEqual(rows.map(({ name }) => name));
  });

  it('are all projections except webhooks', () => {
    const names = readModels.map(({ projection }) => projection.name);
    expect(allProjections(testVaultKeys).map(({ name }) => name)).toEqual([...names, 'webhooks']);
  });
});

describe('A replay', () => {
  it('restores the same rows over any content, and keeps data that is not in the log', async () => {
    const before = await everything();
    await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
    await pool.query('DELETE FROM read_models.api_key_secrets');
    await pool.query(`INSERT INTO read_models.api_key_secrets VALUES ('forged', $1, now())`, [acmeKey]);
    const [replayed, ...others] = await replayReadModels(companies, runtime);
    expect(replayed).toMatchObject({ name: 'companies', events: history.length });
    expect(others).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('rebuilds all read models, including new ones, and leaves them ready to run', async () => {
    const before = await everything();
    const replayed = await replayReadModels(readModels, runtime);
    expect(replayed.map(({ name }) => name)).toEqual(readModels.map(({ projection }) => projection.name));
    expect(await everything()).toEqual(before);
    const head = await store.head();
    for (const { projection } of readModels) expect(await checkpoints.position(projection.name)).toBe(head);
    const { rows } = await pool.query(`SELECT FROM event_store.subscriptions WHERE name LIKE 'process %'`);
    expect(rows).toEqual([]);
  });

  it('keeps the accepted requests, so that no gateway executes one again', async () => {
    const values = [randomId(), 'of the request'];
    await pool.query('INSERT INTO read_models.accepted_requests (id, fingerprint) VALUES ($1, $2)', values);
    await replayReadModels(readModels, runtime);
    const { rows } = await pool.query('SELECT id, fingerprint FROM read_models.accepted_requests');
    expect(rows).toEqual([{ id: values[0], fingerprint: values[1] }]);
  });

  it('creates new shards for a read model without checkpoints', async () => {
    const before = await everything();
    const shards = `SELECT FROM event_store.subscription_shards WHERE subscription = 'companies'`;
    expect((await pool.query(shards)).rowCount).toBe(2);
    await pool.query(`DELETE FROM event_store.subscription_shards WHERE subscription = 'companies'`);
    await pool.query(`DELETE FROM event_store.subscriptions WHERE name = 'companies'`);
    await replayReadModels(companies, { ...runtime, shardCount: 3 });
    expect((await pool.query(shards)).rowCount).toBe(3);
    expect(await everything()).toEqual(before);
  });

  it('is refused and changes nothing while a projector runs one of them', async () => {
    const other = new PostgresCheckpointStore(database.connection);
    const projector = runProjection(companiesProjection, { ...running(), checkpoints: other });
    const isJoined = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND objid > 0 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await until(async () => (await pool.query(isJoined)).rowCount !== 0);
    const before = await everything();
    const attempt = replayReadModels(readModels, runtime);
    await expect(attempt).rejects.toThrow(new ReadModelsInUse(['companies']));
    expect(await everything()).toEqual(before);
    await projector.stop();
    await other.close();
    await replayReadModels(companies, runtime);
  });

  it('that was killed is continued by the next projector', async () => {
    const before = await everything();
    const dying = new PostgresCheckpointStore(database.connection);
    const membership = await dying.joinExclusively('companies', 1);
    await membership.reset(async (tx) => {
      await tx.query('TRUNCATE read_models.companies, read_models.api_keys, read_models.api_key_secrets');
    });
    await dying.close();
    expect((await everything())[0]).toEqual([]);
    await catchUp(companiesProjection, running(), await store.head());
    expect(await everything()).toEqual(before);
  });
});
