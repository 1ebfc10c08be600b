import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { type LogCheckpoint, LogSigningKey } from '@florin/event-sourcing';
import { Pool } from 'pg';
import { PostgresCheckpointStore } from './postgres-checkpoint-store.adapter';
import { PostgresLogCheckpoints } from './postgres-log-checkpoints';

const key = LogSigningKey.generate();
let database: TestDatabase;
let pool: Pool;
let store: PostgresCheckpointStore;
let checkpoints: PostgresLogCheckpoints;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = new Pool({ ...database.connection, max: 2 });
  store = new PostgresCheckpointStore(database.connection);
  checkpoints = new PostgresLogCheckpoints(pool);
});

afterEach(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

function checkpoint(number: number): LogCheckpoint {
  return key.sign({
    ...{ number, count: number * 3, hash: 'a'.repeat(64), contents: 'b'.repeat(64), store: 'postgres' },
    position: 9_007_199_254_740_993n + BigInt(number),
    time: `2026-01-01T00:00:0${number}.123Z`,
    previous: number === 1 ? '' : 'c'.repeat(64),
  });
}

async function append(numbers: readonly number[]): Promise<readonly LogCheckpoint[]> {
  const all = numbers.map(checkpoint);
  const membership = await store.join('log-checkpoints', 1);
  const [claim] = await membership.balance(async () => undefined);
  for (const one of all) await membership.advance(claim!, one.position, (tx) => checkpoints.append(tx, one));
  await membership.leave();
  return all;
}

describe('PostgresLogCheckpoints', () => {
  it('returns checkpoints exactly as they were signed', async () => {
    expect(await checkpoints.newest()).toBeUndefined();
    const [first, second, third] = await append([1, 2, 3]);
    expect(await checkpoints.newest()).toEqual(third);
    expect(await checkpoints.after(0, 2)).toEqual([first, second]);
    expect(await checkpoints.after(2, 10)).toEqual([third]);
    expect(await checkpoints.newestFirst(2)).toEqual([third, second]);
    expect(await checkpoints.newestFirst(10, 2)).toEqual([first]);
    expect((await checkpoints.after(0, 10)).every((one) => key.publicKey.verifies(one))).toBe(true);
  });

  it('finds the checkpoint of a position in the store that has the log, not in an earlier one', async () => {
    const at = (number: number, position: bigint, kind: string): LogCheckpoint =>
      key.sign({ ...checkpoint(number), position, store: kind });
    const all = [
      at(1, 500n, 'eventstoredb'),
      at(2, 900n, 'eventstoredb'),
      at(3, 2n, 'postgres'),
      at(4, 500n, 'postgres'),
    ];
    const client = await pool.connect();
    for (const one of all) await checkpoints.append(client, one);
    client.release();
    expect(await checkpoints.covering(2n)).toEqual(all[2]);
    expect(await checkpoints.covering(3n)).toEqual(all[3]);
    expect(await checkpoints.covering(600n)).toBeUndefined();
  });

  it.each([
    'UPDATE event_store.log_checkpoints SET count = 1',
    'DELETE FROM event_store.log_checkpoints',
    'TRUNCATE event_store.log_checkpoints',
  ])('cannot be changed by %s', async (sql) => {
    await append([1]);
    await expect(pool.query(sql)).rejects.toThrow('log checkpoints are never changed or deleted');
  });

  it('waits for the disk before a checkpoint counts as stored', async () => {
    const membership = await store.join('log-checkpoints', 1);
    const [claim] = await membership.balance(async () => undefined);
    let setting: unknown;
    await membership.advance(claim!, 5n, async (tx) => {
      await checkpoints.append(tx, checkpoint(1));
      ({
        rows: [setting],
      } = await tx.query('SHOW synchronous_commit'));
    });
    expect(setting).toEqual({ synchronous_commit: 'on' });
  });
});
