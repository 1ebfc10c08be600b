import { Client } from 'pg';
import { createPool } from './connection';
import { createPrismaClient, prismaClientOn } from './prisma';
import { createTestDatabase, type TestDatabase } from './testing';
import { isStatementTimeout, isTransientDatabaseError } from './transient-error';

describe('isTransientDatabaseError', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('recognizes an unreachable server through Prisma', async () => {
    // Nothing listens on the discard port.
    const prisma = createPrismaClient({ host: '127.0.0.1', port: 9, user: 'x', database: 'x' });
    expect(isTransientDatabaseError(await failureOf(prisma.company.findMany()))).toBe(true);
    await prisma.$disconnect();
  });

  it('recognizes a terminated session through Prisma', async () => {
    const prisma = createPrismaClient(database.connection, { max: 1, applicationName: 'victim' });
    await prisma.$queryRaw`SELECT 1`;
    const sleeping = failureOf(prisma.$queryRaw`SELECT 1 FROM pg_sleep(30)`);
    const killer = createPool(database.connection, { max: 1 });
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim' AND state = 'active'`;
    while ((await killer.query(terminate)).rowCount === 0);
    expect(isTransientDatabaseError(await sleeping)).toBe(true);
    await Promise.all([prisma.$disconnect(), killer.end()]);
  });

  it('does not treat an invalid statement through Prisma as an outage', async () => {
    const prisma = createPrismaClient(database.connection, { max: 1 });
    expect(isTransientDatabaseError(await failureOf(prisma.$queryRaw`SELECT 1/0`))).toBe(false);
    await prisma.$disconnect();
  });

  it('recognizes an unreachable server', async () => {
    const client = new Client({ host: '/nonexistent-folder', user: 'x', database: 'x' });
    expect(isTransientDatabaseError(await failureOf(client.connect()))).toBe(true);
  });

  it('recognizes a terminated session', async () => {
    const pool = createPool(database.connection, { max: 1 });
    const client = await pool.connect();
    client.on('error', () => undefined);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const sleeping = failureOf(client.query('SELECT pg_sleep(30)'));
    const killer = createPool(database.connection, { max: 1 });
    await killer.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    expect(isTransientDatabaseError(await sleeping)).toBe(true);
    expect(isTransientDatabaseError(await failureOf(client.query('SELECT 1')))).toBe(true);
    client.release(true);
    await Promise.all([pool.end(), killer.end()]);
  });

  it('recognizes a statement that the server has canceled', async () => {
    const pool = createPool(database.connection, { max: 1, utc: true, statementTimeoutMs: 20 });
    const prisma = prismaClientOn(pool);
    for (const sleeping of [pool.query('SELECT pg_sleep(30)'), prisma.$queryRaw`SELECT 1 FROM pg_sleep(30)`]) {
      const failure = await failureOf(sleeping);
      expect([isStatementTimeout(failure), isTransientDatabaseError(failure)]).toEqual([true, true]);
    }
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(isStatementTimeout(await failureOf(pool.query('SELECT 1/0')))).toBe(false);
    await prisma.$disconnect();
    await pool.end();
  });

  it('does not treat an invalid statement as an outage', async () => {
    const pool = createPool(database.connection, { max: 1 });
    expect(isTransientDatabaseError(await failureOf(pool.query('SELECT nonsense')))).toBe(false);
    expect(isTransientDatabaseError(await failureOf(pool.query('SELECT 1/0')))).toBe(false);
    expect(isTransientDatabaseError(new Error('No such luck'))).toBe(false);
    await pool.end();
  });
});
