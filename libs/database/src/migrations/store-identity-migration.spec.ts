import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing';
import { PRISMA_DIRECTORY } from './migration-files';

const migration = join(PRISMA_DIRECTORY, 'migrations/20261117000400_store_identity/migration.sql');

jest.setTimeout(60_000);

/** On the database of an earlier release, whose data show which store it was used with. */
describe('the migration that records the event store', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ ...database.connection });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  beforeEach(async () => {
    await client.query('BEGIN');
    await client.query('DROP TABLE event_store.store_identity');
  });

  afterEach(() => client.query('ROLLBACK'));

  const appendEvent = () =>
    client.query(
      `INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
       VALUES (1, 'account-1', 0, gen_random_uuid(), 'T', '{}', '{}')`,
    );
  const recordCheckpoint = async (position: number) => {
    await client.query(`INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('companies', 1)`);
    await client.query(
      `INSERT INTO event_store.subscription_shards (subscription, shard, position, epoch) VALUES ('companies', 0, $1, 1)`,
      [position],
    );
  };
  const identity = async () => {
    await client.query(readFileSync(migration, 'utf8'));
    const { rows } = await client.query<object>(
      'SELECT kind, id IS NOT NULL AS identified, position::int FROM event_store.store_identity',
    );
    return rows;
  };

  it('records nothing in a new database', async () => {
    expect(await identity()).toEqual([]);
  });

  it('records Postgres if it has the events', async () => {
    await appendEvent();
    await recordCheckpoint(1);
    expect(await identity()).toEqual([{ kind: 'postgres', identified: true, position: 1 }]);
  });

  it('records EventStoreDB if checkpoints are beyond the events in Postgres', async () => {
    await recordCheckpoint(4711);
    expect(await identity()).toEqual([{ kind: 'eventstoredb', identified: false, position: 4711 }]);
  });

  it('records EventStoreDB even if a start with the wrong store has left events in Postgres', async () => {
    await appendEvent();
    await recordCheckpoint(4711);
    expect(await identity()).toEqual([{ kind: 'eventstoredb', identified: false, position: 4711 }]);
  });
});
