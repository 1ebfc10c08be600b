import { createPool, databaseUrl } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { runCommand } from '../testing/run-command';

jest.setTimeout(30_000);

describe('florin database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function execute(sql: string): Promise<void> {
    const pool = createPool(database.connection, { max: 1 });
    await pool.query(sql).finally(() => pool.end());
  }
  const owner = () => ({ DATABASE_OWNER_URL: databaseUrl(database.connection) });
  const migrate = (environment: Readonly<Record<string, string>>) => runCommand(['database', 'migrate'], environment);

  it('migrates, corrects rights, and shows the roles', async () => {
    await execute('REVOKE SELECT ON event_store.events FROM florin_ledger');
    const before = await runCommand(['database', 'list-roles'], owner());
    expect(before.exitCode).toBe(1);
    expect(before.out).toContain('GRANT SELECT ON TABLE event_store.events TO florin_ledger');
    expect(before.out).toMatch(/^florin_ledger +ledger +yes +- +1 differ$/m);

    const { exitCode, out, err } = await migrate(owner());
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain('No migrations were pending.');
    const after = await runCommand(['database', 'list-roles'], owner());
    expect(after.exitCode).toBe(0);
    expect(after.out).toMatch(/^florin_ledger +ledger +yes +- +correct$/m);
  });

  it('rejects a runtime role, and a database without an address', async () => {
    const runtime = databaseUrl(database.connectionAs('ledger'));
    expect(await migrate({ DATABASE_OWNER_URL: runtime })).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('This user does not own the database') as string,
    });
    expect(await migrate({})).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('Set DATABASE_OWNER_URL to your database.') as string,
    });
  });

  it('reports a wrong list of passwords before it changes anything', async () => {
    await execute('REVOKE SELECT ON event_store.events FROM florin_ledger');
    const { exitCode, err } = await migrate({ ...owner(), DATABASE_PASSWORDS: 'teller=0123456789abcdef' });
    expect(exitCode).toBe(1);
    expect(err).toContain('DATABASE_PASSWORDS must be services and their passwords');
    expect((await runCommand(['database', 'list-roles'], owner())).out).toContain('1 differ');
  });

  it('prints statements that create the roles, without a database', async () => {
    const { exitCode, out } = await runCommand(['database', 'list-roles', '--sql']);
    expect(exitCode).toBe(0);
    await execute(out);
    expect(out).toContain('CREATE ROLE florin_webhook_dispatcher NOLOGIN');
  });

  it('lets an auditor verify and audit, and a projector replay', async () => {
    const as = (role: 'auditor' | 'projector') => ({ DATABASE_URL: databaseUrl(database.connectionAs(role)) });
    for (const command of ['verify', 'audit']) {
      const { err } = await runCommand([command], as('auditor'));
      expect(err).toContain(`The log is empty: nothing to ${command}.`);
    }
    expect(await runCommand(['replay'], as('projector'))).toMatchObject({ exitCode: 0 });
    expect((await runCommand(['replay'], as('auditor'))).err).toContain('permission denied');
  });
});
