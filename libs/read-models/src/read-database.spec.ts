import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { ReadDatabase, ReadQueueFull, ReadTimeout } from './read-database';

let database: TestDatabase;
let reads: ReadDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  reads = new ReadDatabase(database.connection, { connections: 3, maxWaiting: 10, statementTimeoutMs: 500 });
});

afterAll(async () => {
  await reads.close();
  await database.drop();
});

const sleep = (reader: string, seconds: number): Promise<unknown> =>
  reads.read(reader, ({ pool }) => pool.query('SELECT pg_sleep($1)', [seconds]));

describe('The reads of a company', () => {
  it('do not wait for the reads of another one', async () => {
    const slow = Array.from({ length: 10 }, () => sleep('busy', 0.1));
    for (let count = 0; count < 3; count++) {
      const waiting = reads.statistics.waiting;
      expect(await reads.read('other', ({ prisma }) => prisma.$queryRaw`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
      expect(waiting).toBeGreaterThan(0);
    }
    // Most of the slow reads are still waiting.
    expect(reads.statistics.waiting).toBeGreaterThanOrEqual(2);
    await Promise.all(slow);
    expect(reads.statistics).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('are rejected if too many of them wait, unless they continue a response', async () => {
    const slow = Array.from({ length: 12 }, () => sleep('busy', 0.01));
    await expect(sleep('busy', 0.01)).rejects.toBeInstanceOf(ReadQueueFull);
    const continued = reads.read('busy', ({ pool }) => pool.query('SELECT 1'), { continued: true });
    await Promise.all([...slow, continued]);
    expect(reads.statistics.rejections).toBe(1);
  });

  it('are canceled after the timeout', async () => {
    await expect(sleep('busy', 30)).rejects.toBeInstanceOf(ReadTimeout);
    const typed = reads.read('busy', ({ prisma }) => prisma.$queryRaw`SELECT 1 FROM pg_sleep(30)`);
    await expect(typed).rejects.toBeInstanceOf(ReadTimeout);
    expect(reads.statistics.timeouts).toBe(2);
    await expect(reads.read('busy', ({ pool }) => pool.query('SELECT nonsense'))).rejects.toThrow('nonsense');
  });
});
