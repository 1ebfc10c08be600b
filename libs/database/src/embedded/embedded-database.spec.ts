import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';
import { ensureDatabase } from '../ensure-database';
import { applyMigrations } from '../migrations/apply-migrations';
import { type MigratedDatabase, migrateDatabase } from '../migrations/migrate-database';
import { databaseRoles, roleName } from '../roles/rights';
import { makeDataDirectory } from '../testing/data-directory';
import { type EmbeddedDatabase, openEmbeddedDatabase, ownerPassword } from './embedded-database';
import { startEmbeddedPostgres } from './embedded-postgres';

jest.setTimeout(60_000);

async function execute(connection: DatabaseConnection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...connection });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const whoAmI = (connection: DatabaseConnection) => execute(connection, 'SELECT current_user::text AS name');

/** The tests share the folder as consecutive starts would. */
describe('the database of a data folder', () => {
  const folder = makeDataDirectory();
  const dataDirectory = folder.path;
  const passwordFile = join(dataDirectory, 'database.pgpass');
  let database: EmbeddedDatabase | undefined;
  let migrated: MigratedDatabase | undefined;

  async function open(): Promise<EmbeddedDatabase> {
    const prepare = async (owner: DatabaseConnection) => (migrated = await migrateDatabase(owner));
    return (database = await openEmbeddedDatabase({ dataDirectory, prepare }));
  }

  afterEach(async () => {
    await database?.stop();
    database = undefined;
  });
  afterAll(() => folder.remove());

  it('gets its roles with the first start of this release', async () => {
    const older = await startEmbeddedPostgres({ dataDirectory });
    const connection = await ensureDatabase(older.connection, 'florin');
    await applyMigrations(connection);
    await execute(connection, `INSERT INTO event_store.snapshots VALUES ('kept', 0, '', '', '', '')`);
    await older.stop();

    const { as, owner } = await open();
    expect(migrated).toMatchObject({ migrations: [], rights: { createdRoles: databaseRoles.map(roleName) } });
    expect(await execute(as('ledger'), 'SELECT stream FROM event_store.snapshots')).toEqual([{ stream: 'kept' }]);
    expect(await whoAmI(as('tron-watcher'))).toEqual([{ name: 'florin_tron_watcher' }]);
    expect(await whoAmI(owner)).toEqual([{ name: 'florin' }]);
  });

  it('rejects every user without its password', async () => {
    const { as, owner } = await open();
    for (const connection of [owner, as('ledger')]) {
      const guesses = [{ password: 'guessed' }, { password: as('gateway').password as string }];
      for (const guess of guesses) {
        await expect(whoAmI({ ...connection, ...guess })).rejects.toMatchObject({ code: '28P01' });
      }
    }
    const { host, database: name } = owner;
    const client = new Client({ host: host!, database: name!, user: 'florin', password: undefined });
    await expect(client.connect()).rejects.toThrow(/password must be a string/);
  });

  it('keeps the passwords in a file of its owner, in the format of psql', async () => {
    const { owner } = await open();
    expect(statSync(passwordFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(passwordFile, 'utf8')).toContain(`*:*:*:florin:${String(owner.password)}\n`);
    expect(ownerPassword(dataDirectory)).toBe(owner.password);
  });

  it('uses the same passwords after a restart', async () => {
    const before = ownerPassword(dataDirectory);
    expect((await open()).owner.password).toBe(before);
    expect(migrated?.rights).toMatchObject({ createdRoles: [], granted: 0, revoked: 0 });
  });

  it('creates new passwords if the file is lost, and does not use a prepared file', async () => {
    const before = ownerPassword(dataDirectory);
    rmSync(passwordFile);
    writeFileSync(`${passwordFile}.new`, '');
    chmodSync(`${passwordFile}.new`, 0o666);
    const { owner } = await open();
    expect(owner.password).not.toBe(before);
    expect(statSync(passwordFile).mode & 0o777).toBe(0o600);
    expect(existsSync(`${passwordFile}.new`)).toBe(false);
    expect(await whoAmI(owner)).toEqual([{ name: 'florin' }]);
  });

  it('grants what it can if its owner may not create roles', async () => {
    const { owner } = await open();
    await execute(owner, `CREATE ROLE plain LOGIN PASSWORD 'of-plain'`);
    await execute(owner, 'CREATE DATABASE plain OWNER plain');
    await execute(owner, `DROP OWNED BY florin_auditor`);
    await execute(owner, `DROP ROLE florin_auditor`);
    const plain = { ...owner, database: 'plain', user: 'plain', password: 'of-plain' };
    const { rights } = await migrateDatabase(plain);
    expect(rights).toMatchObject({ createdRoles: [], missingRoles: ['florin_auditor'] });
    const [row] = await execute(plain, `SELECT has_table_privilege('florin_ledger', 'event_store.events', 'INSERT')`);
    expect(row).toEqual({ has_table_privilege: true });
  });
});
