import type { PoolClient } from 'pg';
import { createPool } from './connection';
import { copyRows } from './copy-rows';
import { createTestDatabase, type TestDatabase } from './testing';

let database: TestDatabase;
let end: () => Promise<void>;
let client: PoolClient;

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createPool(database.connection);
  client = await pool.connect();
  await client.query('CREATE TEMPORARY TABLE people (id integer PRIMARY KEY, name text)');
  end = async () => {
    client.release();
    await pool.end();
  };
});

afterAll(async () => {
  await end();
  await database.drop();
});

beforeEach(() => client.query('TRUNCATE people'));

const copy = 'COPY people FROM STDIN';
const people = async () => (await client.query('SELECT id, name FROM people ORDER BY id')).rows;

describe('copyRows', () => {
  it('writes all rows', async () => {
    await copyRows(client, copy, Buffer.from('1\tIda\n2\tJosé 🃏\n'));
    expect(await people()).toEqual([
      { id: 1, name: 'Ida' },
      { id: 2, name: 'José 🃏' },
    ]);
  });

  it('accepts an empty list', async () => {
    await copyRows(client, copy, Buffer.alloc(0));
    expect(await people()).toEqual([]);
  });

  it('writes megabytes', async () => {
    const lines = Array.from({ length: 20_000 }, (_, id) => `${id}\t${'x'.repeat(100)}\n`);
    await copyRows(client, copy, Buffer.from(lines.join('')));
    expect(await people()).toHaveLength(20_000);
  });

  it('rejects with the database error, writes nothing, and leaves the connection usable', async () => {
    await expect(copyRows(client, copy, Buffer.from('1\tIda\n1\tIda\n'))).rejects.toMatchObject({ code: '23505' });
    expect(await people()).toEqual([]);
    await expect(copyRows(client, 'COPY missing FROM STDIN', Buffer.from('1\n'))).rejects.toMatchObject({
      code: '42P01',
    });
    await copyRows(client, copy, Buffer.from('1\tIda\n'));
    expect(await people()).toEqual([{ id: 1, name: 'Ida' }]);
  });

  it('fails when the connection is lost', async () => {
    const pool = createPool(database.connection);
    const lost = await pool.connect();
    lost.on('error', () => undefined);
    const leaving = 'DO $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END $$';
    const copied = copyRows(lost, `${leaving}; COPY people FROM STDIN`, Buffer.from('1\tIda\n'));
    await expect(copied).rejects.toThrow(/terminat|connection|EPIPE|ECONNRESET/i);
    lost.release(true);
    await pool.end();
  });
});
