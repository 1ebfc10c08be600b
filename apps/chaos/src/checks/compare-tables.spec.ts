import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import type { Pool } from 'pg';
import { compareTables, tablesOf } from './compare-tables';

describe('Comparing tables', () => {
  const databases: TestDatabase[] = [];
  let pools: [Pool, Pool];

  beforeAll(async () => {
    databases.push(await createTestDatabase(), await createTestDatabase());
    pools = databases.map(({ connection }) => createPool(connection)) as [Pool, Pool];
  });

  beforeEach(async () => {
    for (const pool of pools) {
      await pool.query('TRUNCATE read_models.products');
      await add(pool, 'virtual', 1_000);
      await add(pool, 'business', 2_000);
    }
  });

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await Promise.all(databases.map((database) => database.drop()));
  });

  async function add(pool: Pool, id: string, minimum: number): Promise<void> {
    await pool.query(
      `INSERT INTO read_models.products (id, kind, name, currency, fee, minimum_amount, available, revision)
       VALUES ($1, 'card', $1, 'USD', '{"b": 1, "a": 2}', $2, true, 0)`,
      [id, minimum],
    );
  }

  const compare = async (ignored = {}) => compareTables(pools, await tablesOf(pools[0], ['read_models']), { ignored });

  it('finds all tables, and no difference between the same rows in any order', async () => {
    expect((await tablesOf(pools[0], ['read_models'])).map(({ name }) => name)).toContain('account_entries');
    await pools[1].query(`UPDATE read_models.products SET revision = 0 WHERE id = 'virtual'`);
    expect(await compare()).toEqual({ rows: 2, differences: [] });
  });

  it('finds a missing row, an extra row, and a row that differs in one column', async () => {
    await pools[1].query(`DELETE FROM read_models.products WHERE id = 'virtual'`);
    expect((await compare()).differences).toEqual([
      expect.stringContaining('1 rows are not in the rebuilt one, which has 0 others'),
      expect.stringMatching(/only the product has .*"virtual"/),
    ]);
    await add(pools[1], 'virtual', 1_001);
    expect((await compare()).differences).toHaveLength(3);
    await add(pools[1], 'another', 1);
    expect((await compare()).differences.join('\n')).toMatch(/only the rebuilt one has .*"another"/);
  });

  it('ignores the given columns', async () => {
    await pools[1].query(`UPDATE read_models.products SET revision = 7 WHERE id = 'virtual'`);
    expect((await compare()).differences).not.toEqual([]);
    expect((await compare({ 'read_models.products': ['revision'] })).differences).toEqual([]);
  });
});
