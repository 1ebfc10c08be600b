import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import {
  operators,
  ReadCanceled,
  ReadDatabase,
  ReadQueueFull,
  type Reader,
  ReadTimeout,
  signIn,
} from './read-database';

const busy = { companyId: 'c0ffee00-0000-4000-8000-000000000001' };
const other = { companyId: 'c0ffee00-0000-4000-8000-000000000002' };
const third = { companyId: 'c0ffee00-0000-4000-8000-000000000003' };

let database: TestDatabase;
let reads: ReadDatabase;
/** The ends of the reads that `hold` has started. */
let ends: (() => void)[];

beforeAll(async () => {
  database = await createTestDatabase();
});

beforeEach(() => {
  ends = [];
  reads = new ReadDatabase(database.connection, { connections: 3, maxWaiting: 10, statementTimeoutMs: 10_000 });
});

afterEach(async () => {
  await reads.close();
});

afterAll(() => database.drop());

/** Reads that take until `endAll`. */
function hold(reader: Reader, count: number): Promise<void>[] {
  return Array.from({ length: count }, () =>
    reads.read(reader, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
}

async function endAll(...held: readonly Promise<void>[]): Promise<void> {
  const all = Promise.all(held);
  while (reads.statistics.inUse > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
}

const selectOne = (reader: Reader): Promise<unknown> =>
  reads.read(reader, ({ prisma }) => prisma.$queryRaw`SELECT 1 AS one`);

describe('The reads of a company', () => {
  it('do not wait for the reads of another one', async () => {
    const held = hold(busy, 10);
    for (let count = 0; count < 3; count++) expect(await selectOne(other)).toEqual([{ one: 1 }]);
    expect(reads.statistics).toMatchObject({ inUse: 2, waiting: 8 });
    await endAll(...held);
    expect(reads.statistics).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('are rejected if too many of them wait, unless they continue a response', async () => {
    const held = hold(busy, 12);
    await expect(selectOne(busy)).rejects.toBeInstanceOf(ReadQueueFull);
    const continued = reads.read(busy, ({ pool }) => pool.query('SELECT 1'), { continued: true });
    await endAll(...held);
    await continued;
    expect(reads.statistics.rejections).toBe(1);
  });

  it('lose their place if the client disconnects', async () => {
    const listeners: (() => void)[] = [];
    const disconnection = {
      onCancel: (listener: () => void) => {
        listeners.push(listener);
        return () => undefined;
      },
    };
    const running = hold(busy, 2);
    const waiting = hold({ ...busy, disconnection }, 10);
    await expect(selectOne(busy)).rejects.toBeInstanceOf(ReadQueueFull);
    for (const disconnect of listeners) disconnect();
    for (const each of waiting) await expect(each).rejects.toBeInstanceOf(ReadCanceled);
    const next = selectOne(busy);
    await endAll(...running);
    expect(await next).toEqual([{ one: 1 }]);
  });
});

describe('A read', () => {
  beforeEach(async () => {
    await reads.close();
    reads = new ReadDatabase(database.connection, { connections: 2, statementTimeoutMs: 100 });
  });

  it('is canceled after the timeout', async () => {
    const sleeping = reads.read(busy, ({ pool }) => pool.query('SELECT pg_sleep(30)'));
    await expect(sleeping).rejects.toBeInstanceOf(ReadTimeout);
    const typed = reads.read(busy, ({ prisma }) => prisma.$queryRaw`SELECT 1 FROM pg_sleep(30)`);
    await expect(typed).rejects.toBeInstanceOf(ReadTimeout);
    expect(reads.statistics.timeouts).toBe(2);
    await expect(reads.read(busy, ({ pool }) => pool.query('SELECT nonsense'))).rejects.toThrow('nonsense');
  });

  it('is rejected if it waits longer than a statement may take', async () => {
    const held = hold(busy, 1);
    await expect(selectOne(busy)).rejects.toBeInstanceOf(ReadQueueFull);
    expect(reads.statistics).toMatchObject({ waiting: 0, rejections: 1 });
    await endAll(...held);
  });
});

describe('The reads of operators', () => {
  it('do not wait for companies', async () => {
    const held = [busy, other, third].flatMap((company) => hold(company, 2));
    expect(await selectOne(operators)).toEqual([{ one: 1 }]);
    expect(reads.statistics).toMatchObject({ inUse: 3, waiting: 3 });
    await endAll(...held);
  });

  it('do not delay a sign-in', async () => {
    const held = hold(operators, 4);
    expect(await selectOne(signIn)).toEqual([{ one: 1 }]);
    expect(reads.statistics).toMatchObject({ inUse: 2, waiting: 2 });
    await endAll(...held);
  });
});
