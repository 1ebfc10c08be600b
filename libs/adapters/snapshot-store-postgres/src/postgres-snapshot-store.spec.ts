import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { snapshotStoreContract } from '@florin/event-sourcing/testing';
import { Pool } from 'pg';
import { PostgresSnapshotStore } from './postgres-snapshot-store.adapter';

const silent = { warn: () => undefined };

snapshotStoreContract('The snapshot store in Postgres', async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ ...database.connection });
  return {
    store: new PostgresSnapshotStore(pool, silent),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
});

describe('The snapshot store in Postgres, where something is wrong', () => {
  const snapshot = { stream: 'account-1', revision: 9, hash: 'a', stateVersion: 1, state: Buffer.from('state') };
  let database: TestDatabase;

  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(() => database.drop());

  test('a database that does not answer costs nothing but a warning', async () => {
    const warnings: string[] = [];
    const pool = new Pool({ ...database.connection });
    await pool.end();
    const store = new PostgresSnapshotStore(pool, { warn: (_, message) => warnings.push(message) });
    await store.keep(snapshot);
    expect(await store.find('account-1', 1)).toBeUndefined();
    await store.discard(snapshot, 'it cannot be read');
    expect(warnings).toEqual([
      'Cannot keep a snapshot; the next one is made later',
      'Cannot look for a snapshot; reading the stream from its first event',
      'A snapshot is of no use; reading the stream from its first event',
      'Cannot discard a snapshot; it will be looked at again',
    ]);
  });

  test('why one is discarded is told', async () => {
    const told: object[] = [];
    const pool = new Pool({ ...database.connection });
    const store = new PostgresSnapshotStore(pool, { warn: (details) => told.push(details) });
    await store.discard(snapshot, 'it cannot be read');
    await pool.end();
    expect(told).toEqual([{ stream: 'account-1', revision: 9, reason: 'it cannot be read' }]);
  });
});
