import { createPool, type DatabaseConnection } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { createLog } from './log';
import { prepareDatabase, warnAboutOwner } from './prepare-database';

describe('preparing the database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function execute(sql: string): Promise<void> {
    const pool = createPool(database.connection, { max: 1 });
    await pool.query(sql).finally(() => pool.end());
  }
  const silent = createLog('silent');
  const prepare = (connection: DatabaseConnection) => prepareDatabase(connection, silent);

  it('accepts a runtime role if the schema is up to date', async () => {
    await prepare(database.connectionAs('tron-watcher'));
  });

  it('rejects a runtime role if migrations are pending, and names the command', async () => {
    await execute(`DELETE FROM public._prisma_migrations WHERE migration_name LIKE '%_operations_by_card'`);
    await expect(prepare(database.connectionAs('ledger'))).rejects.toThrow(
      'The database lacks 20261116000100_operations_by_card, and its user may not migrate it. ' +
        'Run `florin database migrate` with DATABASE_OWNER_URL set to the owner of the database.',
    );
  });

  it('restores missing rights as the owner', async () => {
    await execute('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM florin_ledger');
    await expect(prepare(database.connectionAs('ledger'))).rejects.toMatchObject({ code: '42501' });
    await prepare(database.connection);
    await prepare(database.connectionAs('ledger'));
  });

  it('warns if the user can rewrite the log, and only then', async () => {
    const warnings: unknown[] = [];
    const log = { ...silent, warn: (...args: unknown[]) => void warnings.push(args[0]) } as unknown as typeof silent;
    await warnAboutOwner(database.connectionAs('ledger'), log);
    expect(warnings).toEqual([]);
    await warnAboutOwner(database.connection, log);
    expect(warnings).toEqual([expect.stringContaining('owns the tables and can rewrite recorded events')]);
  });
});
