import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { randomBytes } from 'node:crypto';
import type { DatabaseConnection } from '../connection';
import { ensureDatabase } from '../ensure-database';
import { testServer } from '../testing';
import { applyMigrations, pendingMigrations } from './apply-migrations';

describe('applying migrations', () => {
  let directory: string;
  let connection: DatabaseConnection;
  let client: Client;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'florin-migrations-'));
    connection = await ensureDatabase(testServer(), `test_${randomBytes(8).toString('hex')}`);
    client = new Client({ ...connection });
    await client.connect();
  });

  afterEach(async () => {
    await client.end();
    const server = new Client({ ...testServer() });
    await server.connect();
    await server.query(`DROP DATABASE ${connection.database}`);
    await server.end();
    rmSync(directory, { recursive: true });
  });

  const write = (name: string, sql: string) => {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, 'migration.sql'), sql);
  };
  const apply = () => applyMigrations(connection, directory);
  const records = async () =>
    (
      await client.query(
        `SELECT migration_name AS name, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS rolled_back
         FROM public._prisma_migrations ORDER BY started_at`,
      )
    ).rows;
  const tables = async () =>
    (await client.query(`SELECT relname AS name FROM pg_class WHERE relname ~ '^(one|two)$' ORDER BY 1`)).rows;

  it('applies each migration once, in the order of their names', async () => {
    write('2_second', 'ALTER TABLE one RENAME TO two;');
    write('1_first', 'CREATE TABLE one (id INT);');
    expect(await apply()).toEqual(['1_first', '2_second']);
    expect(await tables()).toEqual([{ name: 'two' }]);

    expect(await apply()).toEqual([]);
    write('3_third', 'CREATE TABLE one (id INT);');
    expect(await apply()).toEqual(['3_third']);
    expect(await tables()).toEqual([{ name: 'one' }, { name: 'two' }]);
  });

  it('lists pending migrations without changing anything', async () => {
    const pending = () => pendingMigrations(connection, directory);
    write('1_first', 'CREATE TABLE one (id INT);');
    expect(await pending()).toEqual({ isEmpty: true, pending: ['1_first'], isNewer: false });
    expect((await client.query(`SELECT to_regclass('public._prisma_migrations') AS found`)).rows).toEqual([
      { found: null },
    ]);
    await apply();
    expect(await pending()).toEqual({ isEmpty: false, pending: [], isNewer: false });
    write('2_second', 'ALTER TABLE one RENAME TO two;');
    expect(await pending()).toEqual({ isEmpty: false, pending: ['2_second'], isNewer: false });
    expect(await tables()).toEqual([{ name: 'one' }]);
    rmSync(join(directory, '1_first'), { recursive: true });
    expect(await pending()).toEqual({ isEmpty: false, pending: ['2_second'], isNewer: true });
  });

  it('allows several processes to start at once', async () => {
    write('1_first', 'CREATE TABLE one (id INT);');
    const applied = await Promise.all([apply(), apply(), apply()]);
    expect(applied.flat()).toEqual(['1_first']);
    expect(await records()).toEqual([{ name: '1_first', finished: true, rolled_back: false }]);
  });

  it('runs a script unchanged, with semicolons in comments, strings and functions', async () => {
    write(
      '1_first',
      `-- A comment; with a semicolon.
       CREATE FUNCTION twice(n INT) RETURNS TEXT AS $$
       DECLARE result INT;
       BEGIN result := 2 * n; RETURN result || ';'; END;
       $$ LANGUAGE plpgsql; -- and no line break at the end`,
    );
    await apply();
    expect((await client.query('SELECT twice(21)')).rows).toEqual([{ twice: '42;' }]);
  });

  it('rolls a failing script back, reports the error, and applies the script once it is fixed', async () => {
    write('1_first', 'CREATE TABLE one (id INT);');
    write('2_second', 'CREATE TABLE two (id INT); SELECT * FROM nowhere;');
    await expect(apply()).rejects.toThrow(
      'The database could not be migrated: 2_second: relation "nowhere" does not exist',
    );
    expect(await tables()).toEqual([{ name: 'one' }]);

    write('2_second', 'CREATE TABLE two (id INT);');
    expect(await apply()).toEqual(['2_second']);
    expect(await tables()).toEqual([{ name: 'one' }, { name: 'two' }]);
  });

  it('rejects a migration that was edited after it had been applied', async () => {
    write('1_first', 'CREATE TABLE one (id INT);');
    await apply();
    write('1_first', 'CREATE TABLE one (id BIGINT);');
    await expect(apply()).rejects.toThrow('The migration 1_first was changed after this database had applied it');
  });

  describe('after a process crashed during a migration', () => {
    beforeEach(async () => {
      write('1_first', 'CREATE TABLE one (id INT);');
      await apply();
    });

    it('continues when the script had been committed', async () => {
      await client.query(`UPDATE public._prisma_migrations SET finished_at = NULL, logs = 'applied'`);
      expect(await apply()).toEqual([]);
      expect(await records()).toEqual([{ name: '1_first', finished: true, rolled_back: false }]);
    });

    it('applies the script again when it had not been committed', async () => {
      await client.query('DROP TABLE one');
      await client.query('UPDATE public._prisma_migrations SET finished_at = NULL, logs = NULL');
      expect(await apply()).toEqual(['1_first']);
      expect(await tables()).toEqual([{ name: 'one' }]);
    });
  });

  it('records the commit of a script in the same transaction', async () => {
    write('1_first', `CREATE TABLE one AS SELECT logs FROM public._prisma_migrations; CREATE TABLE two (id INT);`);
    await apply();
    expect((await client.query('SELECT logs FROM one')).rows).toEqual([{ logs: null }]);
    expect((await client.query('SELECT logs FROM public._prisma_migrations')).rows).toEqual([{ logs: 'applied' }]);
  });
});
