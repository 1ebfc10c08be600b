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
