import { createPool } from './connection';
import { createPrismaClient, Prisma, type PrismaClient } from './prisma';
import { createTestDatabase, type TestDatabase } from './testing';

describe('the Prisma schema', () => {
  let database: TestDatabase;
  let client: PrismaClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = createPrismaClient(database.connection);
  });

  afterAll(async () => {
    await client.$disconnect();
    await database.drop();
  });

  it('reads from the migrated database', async () => {
    expect(await client.$queryRaw`SELECT 1 + 1 AS two`).toEqual([{ two: 2 }]);
  });

  // Prisma names every column of a model in its query, so a column that the migrations lack makes the query fail.
  it('has only models whose tables and columns the migrations create', async () => {
    const delegates = client as unknown as Record<string, { findFirst(): Promise<unknown> }>;
    for (const model of Object.values<string>(Prisma.ModelName)) {
      const name = model.charAt(0).toLowerCase() + model.slice(1);
      expect(await delegates[name]?.findFirst()).toBeNull();
    }
  });
});

describe('a database in another time zone than UTC', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = createPool(database.connection, { max: 1 });
    await pool.query(`ALTER DATABASE ${database.connection.database!} SET timezone = 'America/New_York'`);
    await pool.end();
  });
  afterAll(() => database.drop());

  it('gives Prisma the same times as pg', async () => {
    const createdAt = '2030-07-01T12:00:00.000Z';
    const pool = createPool(database.connection, { max: 1 });
    await pool.query(
      `INSERT INTO read_models.companies (company_id, name, kind, verification, activations, created_at)
       VALUES ('c0ffee00-0000-4000-8000-000000000001', 'Acme', 'corporate', 'approved', '{}', $1)`,
      [createdAt],
    );
    const client = createPrismaClient(database.connection, { max: 1 });
    const found = await client.company.findMany({ where: { createdAt: { gte: createdAt, lte: createdAt } } });
    expect(found.map((company) => company.createdAt.toISOString())).toEqual([createdAt]);
    await Promise.all([client.$disconnect(), pool.end()]);
  });
});
