import { EventEmitter, once } from 'node:events';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { randomId } from '@florin/kernel';
import type { Pool } from 'pg';
import { ApiKeyUsage } from './api-key-usage';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const day = (of: number): Date => new Date(Date.UTC(2026, 0, of));
const never = 2 ** 30;

const lastUse = async (keyId: string): Promise<Date | undefined> => {
  const text = 'SELECT last_used_at FROM gateway.api_key_usage WHERE key_id = $1';
  return (await pool.query<{ last_used_at: Date }>(text, [keyId])).rows[0]?.last_used_at;
};

const recorder = (flushEveryMs = never) => {
  const errors: unknown[] = [];
  return { errors, usage: new ApiKeyUsage(pool, { flushEveryMs, onError: (error) => errors.push(error) }) };
};

describe('ApiKeyUsage', () => {
  it('collects uses in memory and writes them with one statement', async () => {
    const { usage, errors } = recorder();
    const keys = Array.from({ length: 200 }, randomId);
    for (const key of keys) usage.record(key, day(1));
    expect(await lastUse(keys[0]!)).toBeUndefined();
    await usage.close();
    const text = 'SELECT count(*)::int AS rows, count(DISTINCT xmin::text)::int AS writes FROM gateway.api_key_usage';
    expect((await pool.query(`${text} WHERE key_id = ANY($1)`, [keys])).rows).toEqual([{ rows: 200, writes: 1 }]);
    expect(errors).toEqual([]);
  });

  it('keeps the latest use for any order of writes', async () => {
    const keyId = randomId();
    const [one, other] = [recorder().usage, recorder().usage];
    one.record(keyId, day(3));
    one.record(keyId, day(2));
    await one.close();
    expect(await lastUse(keyId)).toEqual(day(3));
    other.record(keyId, day(1));
    await other.close();
    expect(await lastUse(keyId)).toEqual(day(3));
  });

  it('writes periodically', async () => {
    const { usage } = recorder(1);
    const keyId = randomId();
    for (const use of [day(1), day(2)]) {
      usage.record(keyId, use);
      while ((await lastUse(keyId))?.getTime() !== use.getTime());
    }
    await usage.close();
  });

  it('keeps the uses of a failed write for the next one', async () => {
    const failed = new EventEmitter();
    const usage = new ApiKeyUsage(pool, { flushEveryMs: 1, onError: (error) => failed.emit('failed', error) });
    const [early, late] = [randomId(), randomId()];
    await pool.query('ALTER TABLE gateway.api_key_usage RENAME TO unreachable');
    usage.record(early, day(2));
    const [error] = (await once(failed, 'failed')) as [unknown];
    expect(error).toMatchObject({ message: expect.stringContaining('does not exist') });
    usage.record(early, day(1));
    usage.record(late, day(3));
    await pool.query('ALTER TABLE gateway.unreachable RENAME TO api_key_usage');
    await usage.close();
    expect(await lastUse(early)).toEqual(day(2));
    expect(await lastUse(late)).toEqual(day(3));
  });
});
