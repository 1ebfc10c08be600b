import { createPool, type DatabaseConnection, ensureDatabase, temporaryDataDirectory } from '@florin/database';
import { createTestDatabase, type TestDatabase, testServer } from '@florin/database/testing';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../testing/run-command';

jest.setTimeout(30_000);

const urlOf = ({ host, user, database }: DatabaseConnection): string =>
  `postgres://${user}@localhost/${database}?host=${encodeURIComponent(String(host))}`;

async function execute<Row>(connection: DatabaseConnection, sql: string): Promise<readonly Row[]> {
  const pool = createPool(connection, { max: 1 });
  try {
    return (await pool.query(sql)).rows as readonly Row[];
  } finally {
    await pool.end();
  }
}

describe.each(['audit', 'verify', 'replay'])('florin %s without a Florin database', (command) => {
  const folder = temporaryDataDirectory('florin-cli-');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('rejects a folder that does not exist and does not create it', async () => {
    const typo = join(folder, 'typo');
    const { exitCode, out, err } = await runCommand([command], { FLORIN_DATA_DIR: typo });
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toContain(`There is no Florin in ${typo}: set FLORIN_DATA_DIR to a data folder of Florin, or`);
    expect(existsSync(typo)).toBe(false);
  });

  it('rejects a folder without a database and leaves it unchanged', async () => {
    const other = join(folder, 'other');
    mkdirSync(join(other, 'postgres', 'data.new'), { recursive: true });
    expect(await runCommand([command], { FLORIN_DATA_DIR: other })).toMatchObject({ exitCode: 3 });
    expect(readdirSync(other)).toEqual(['postgres']);
    expect(readdirSync(join(other, 'postgres'))).toEqual(['data.new']);
  });

  it('rejects a database without Florin tables and creates none', async () => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    const connection = await ensureDatabase(testServer(), name);
    const { exitCode, err } = await runCommand([command], { DATABASE_URL: urlOf(connection) });
    expect(exitCode).toBe(3);
    expect(err).toContain(
      'There is no Florin in the database of DATABASE_URL: set it to the database of a Florin installation.',
    );
    expect(await execute(connection, `SELECT FROM pg_namespace WHERE nspname = 'event_store'`)).toEqual([]);
    await execute(testServer(), `DROP DATABASE ${name}`);
  });
});

describe('florin on a database without events', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const run = (...args: readonly string[]) => runCommand(args, { DATABASE_URL: urlOf(database.connection) });

  it.each(['audit', 'verify'])('reports the empty log instead of success: %s', async (command) => {
    const { exitCode, out, err } = await run(command);
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toContain(`The log is empty: nothing to ${command}.`);
  });

  it('never migrates an older schema, on which an older release may be running', async () => {
    const newest = '(SELECT max(migration_name) FROM public._prisma_migrations)';
    const records = () => execute<{ name: string }>(database.connection, `SELECT ${newest} AS name`);
    const [{ name } = { name: '' }] = await records();
    await execute(database.connection, `DELETE FROM public._prisma_migrations WHERE migration_name = ${newest}`);
    for (const command of ['audit', 'verify', 'replay']) {
      const { exitCode, err } = await run(command);
      expect(exitCode).toBe(3);
      expect(err).toContain(
        `has the schema of an older release and lacks ${name}; start this release on it once, or use`,
      );
    }
    expect(await records()).not.toEqual([{ name }]);
  });
});
