import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';
import { createTestDatabase, type TestDatabase } from '../testing';
import { databaseRoles, type DatabaseRole, type Right, rightsOf, roleName } from './rights';

jest.setTimeout(60_000);

const tableRights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'] as const;
/** The SQLSTATE of a statement that the user has no right to. */
const denied = '42501';
/** The same SQLSTATE, for a row that belongs to another role. */
const deniedRow = '42501 row';

describe('the rights of the database roles', () => {
  let database: TestDatabase;
  let owner: Client;
  const users = new Map<DatabaseRole, Client>();

  async function connect(connection: DatabaseConnection): Promise<Client> {
    const client = new Client({ ...connection });
    await client.connect();
    return client;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = await connect(database.connection);
    for (const role of databaseRoles) users.set(role, await connect(database.connectionAs(role)));
  });

  afterAll(async () => {
    await Promise.all([owner, ...users.values()].map((client) => client.end()));
    await database.drop();
  });

  /** The names in Florin's schemas of what the catalog has of this kind. */
  async function namesOf(catalog: 'tables' | 'sequences' | 'routines'): Promise<string[]> {
    const column = catalog === 'tables' ? 'table' : catalog === 'sequences' ? 'sequence' : 'routine';
    const { rows } = await owner.query<{ name: string }>(
      `SELECT DISTINCT ${column}_schema || '.' || ${column}_name AS name FROM information_schema.${catalog}
       WHERE ${column}_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  /** The SQLSTATE with which the role's statement fails; undefined if it succeeds. Nothing is changed. */
  async function attempt(role: DatabaseRole, statement: string): Promise<string | undefined> {
    const client = users.get(role)!;
    await client.query('BEGIN');
    try {
      await client.query(statement);
      return undefined;
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      return message.includes('row-level security') ? `${code} row` : String(code);
    } finally {
      await client.query('ROLLBACK');
    }
  }

  it('cover every table, and only functions that exist', async () => {
    const listed = databaseRoles.flatMap((role) => Object.entries(rightsOf[role]));
    const isFunction = (rights: readonly Right[]) => rights.includes('EXECUTE');
    const tables = listed.filter(([, rights]) => !isFunction(rights)).map(([name]) => name);
    const functions = listed.filter(([, rights]) => isFunction(rights)).map(([name]) => name);
    expect([...new Set(tables)].sort()).toEqual(await namesOf('tables'));
    expect(await namesOf('routines')).toEqual(expect.arrayContaining(functions));
  });

  it('never include changing, deleting or truncating events', () => {
    const onEvents = databaseRoles.flatMap((role) => rightsOf[role]['event_store.events'] ?? []);
    expect(new Set(onEvents)).toEqual(new Set(['SELECT', 'INSERT']));
  });

  it.each(databaseRoles)('of %s are those of the catalog', async (role) => {
    const name = roleName(role);
    const everyRight = [...tableRights, 'REFERENCES', 'TRIGGER'];
    const { rows: onTables } = await owner.query<{ table: string; rights: string[] }>(
      `SELECT name AS table, array(
         SELECT privilege FROM unnest($3::text[]) AS privilege WHERE has_table_privilege($1, name, privilege)
       ) AS rights
       FROM unnest($2::text[]) AS name`,
      [name, await namesOf('tables'), everyRight],
    );
    const granted = onTables
      .filter(({ rights }) => rights.length > 0)
      .map(({ table, rights }) => [table, rights.sort()]);
    const { rows: onFunctions } = await owner.query<{ name: string; executable: boolean }>(
      `SELECT nspname || '.' || proname AS name, has_function_privilege($1, p.oid, 'EXECUTE') AS executable
       FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace
       WHERE nspname NOT IN ('pg_catalog', 'information_schema')`,
      [name],
    );
    for (const { name: called, executable } of onFunctions) if (executable) granted.push([called, ['EXECUTE']]);
    const listed = Object.entries(rightsOf[role]).map(([object, rights]) => [object, [...rights].sort()]);
    expect(granted.sort()).toEqual(listed.sort());
  });

  it.each(databaseRoles)(
    'give %s no sequence, no schema to create in, and no attribute or membership',
    async (role) => {
      const { rows } = await owner.query(
        `SELECT
         (SELECT count(*) FROM pg_sequence
          WHERE has_sequence_privilege($1, seqrelid, 'USAGE, SELECT, UPDATE'))::int AS sequences,
         (SELECT count(*) FROM pg_namespace WHERE has_schema_privilege($1, oid, 'CREATE'))::int AS schemas,
         (SELECT count(*) FROM pg_auth_members WHERE member = pg_roles.oid)::int AS memberships,
         has_database_privilege($1, current_database(), 'CREATE') AS database,
         rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS attributes
       FROM pg_roles WHERE rolname = $1`,
        [roleName(role)],
      );
      expect(rows).toEqual([{ sequences: 0, schemas: 0, memberships: 0, database: false, attributes: false }]);
    },
  );

  it.each(databaseRoles)('let %s run exactly the statements that they list', async (role) => {
    const { rows: columns } = await owner.query<{ table: string; column: string }>(
      `SELECT table_schema || '.' || table_name AS table, column_name AS column FROM information_schema.columns
       WHERE ordinal_position = 1 AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const allowed: string[] = [];
    for (const { table, column } of columns) {
      const statements: Record<(typeof tableRights)[number], string> = {
        SELECT: `SELECT * FROM ${table}`,
        INSERT: `INSERT INTO ${table} DEFAULT VALUES`,
        UPDATE: `UPDATE ${table} SET ${column} = DEFAULT`,
        DELETE: `DELETE FROM ${table}`,
        TRUNCATE: `TRUNCATE ${table} CASCADE`,
      };
      for (const right of tableRights) {
        if ((await attempt(role, statements[right])) !== denied) allowed.push(`${right} ${table}`);
      }
    }
    const listed = Object.entries(rightsOf[role]).flatMap(([object, rights]) =>
      rights.filter((right) => right !== 'EXECUTE').map((right) => `${right} ${object}`),
    );
    expect(allowed.sort()).toEqual(listed.sort());
  });

  it.each(databaseRoles)('stop %s from rewriting the log by other means', async (role) => {
    const attempts = [
      'ALTER TABLE event_store.events DISABLE TRIGGER ALL',
      'DROP TRIGGER events_are_for_ever ON event_store.events',
      'DROP TABLE event_store.events',
      'ALTER TABLE event_store.events OWNER TO CURRENT_USER',
      'CREATE TRIGGER forge BEFORE INSERT ON event_store.events FOR EACH ROW EXECUTE FUNCTION event_store.refuse_change()',
      `CREATE OR REPLACE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'`,
      'CREATE RULE forge AS ON INSERT TO event_store.events DO INSTEAD NOTHING',
      `SET session_replication_role = 'replica'`,
      `SET ROLE ${database.connection.user}`,
      `GRANT ALL ON event_store.events TO ${roleName(role)}; DELETE FROM event_store.events`,
      `COPY event_store.events TO PROGRAM 'true'`,
      'CREATE TABLE public.events (id integer)',
    ];
    const outcomes: (string | undefined)[] = [];
    for (const statement of attempts) outcomes.push(await attempt(role, statement));
    expect(outcomes).toEqual(attempts.map(() => denied));
  });

  describe('on rows', () => {
    const subscriptions = [
      'process operations',
      'process invoices',
      'process settlement',
      'companies',
      'log-checkpoints',
    ];
    const streams = ['account-1', 'address-1', 'operation-1'];

    beforeAll(async () => {
      await owner.query('INSERT INTO event_store.subscriptions (name, shard_count) SELECT unnest($1::text[]), 1', [
        subscriptions,
      ]);
      await owner.query(
        'INSERT INTO event_store.subscription_shards (subscription, shard) SELECT unnest($1::text[]), 0',
        [subscriptions],
      );
      await owner.query(
        `INSERT INTO event_store.snapshots SELECT stream, 0, '', '', '', '' FROM unnest($1::text[]) AS stream`,
        [streams],
      );
    });

    /** The keys of the rows that a statement of the role affects. Nothing is changed. */
    async function affected(role: DatabaseRole, statement: string): Promise<string[]> {
      const client = users.get(role)!;
      await client.query('BEGIN');
      try {
        const { rows } = await client.query<{ key: string }>(statement);
        return rows.map(({ key }) => key).sort();
      } finally {
        await client.query('ROLLBACK');
      }
    }

    const ofInvoicing = ['process invoices', 'process settlement'];
    const ofProjector = ['companies', 'log-checkpoints'];

    it.each<[DatabaseRole, string[]]>([
      ['operations', ['process operations']],
      ['invoicing', ofInvoicing],
      ['projector', ofProjector],
      ['all-in-one', [...subscriptions].sort()],
    ])('let %s move only its own positions', async (role, own) => {
      const move =
        'UPDATE event_store.subscription_shards SET position = 9000000000000000 RETURNING subscription AS key';
      expect(await affected(role, move)).toEqual(own);
      const inserted: string[] = [];
      for (const name of subscriptions) {
        const insert = `INSERT INTO event_store.subscription_shards (subscription, shard, position) VALUES ('${name}', 7, 9)`;
        if ((await attempt(role, insert)) === undefined) inserted.push(name);
      }
      expect(inserted.sort()).toEqual(own);
    });

    it('stop a service from registering the subscription of another one', async () => {
      const register = `INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('log-checkpoints-2', 9)`;
      expect(await attempt('invoicing', register)).toBe(deniedRow);
      expect(await attempt('operations', register)).toBe(deniedRow);
      expect(await attempt('projector', register)).toBeUndefined();
    });

    it.each<[DatabaseRole, string[]]>([
      ['ledger', ['account-1']],
      ['invoicing', ['address-1']],
      ['all-in-one', ['account-1', 'address-1']],
    ])('let %s write only snapshots of own streams', async (role, own) => {
      const change = `UPDATE event_store.snapshots SET state = 'x' RETURNING stream AS key`;
      expect(await affected(role, change)).toEqual(own);
      expect(await affected(role, 'DELETE FROM event_store.snapshots RETURNING stream AS key')).toEqual(own);
      const inserted: string[] = [];
      for (const stream of streams) {
        const insert = `INSERT INTO event_store.snapshots VALUES ('${stream}', 1, '', '', '', '')
          ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision`;
        if ((await attempt(role, insert)) === undefined) inserted.push(stream);
      }
      expect(inserted).toEqual(own);
    });

    it('let every reader read all rows', async () => {
      const read = 'SELECT subscription AS key FROM event_store.subscription_shards';
      for (const role of ['gateway', 'auditor', 'invoicing', 'projector'] as const) {
        expect(await affected(role, read)).toEqual([...subscriptions].sort());
      }
    });
  });

  it('let only the services with commands append events', async () => {
    const append = (stream: string) =>
      `SELECT event_store.append('{${stream}}', '{0}', '{${'0'.repeat(8)}-0000-4000-8000-000000000001}', '{Tested}', '{x}', '{x}',
         '{}', '{}', false)`;
    const outcomes: [string, string | undefined][] = [];
    for (const role of databaseRoles) outcomes.push([role, await attempt(role, append('test-1'))]);
    const mayAppend = outcomes.filter(([, outcome]) => outcome === undefined).map(([role]) => role);
    expect(mayAppend.sort()).toEqual(
      ['all-in-one', 'invoicing', 'ledger', 'operations', 'tron-watcher', 'webhook-dispatcher'].sort(),
    );
  });

  it('open each vault only to the services that need it', async () => {
    async function readersOf(vault: string): Promise<string[]> {
      const readers: string[] = [];
      for (const role of databaseRoles) {
        if ((await attempt(role, `SELECT * FROM ${vault}`)) !== denied) readers.push(role);
      }
      return readers.sort();
    }
    expect(await readersOf('vault.holder_keys')).toEqual(['all-in-one', 'gateway', 'operations', 'projector', 'vault']);
    expect(await readersOf('vault.webhook_secrets')).toEqual(['all-in-one', 'gateway', 'vault', 'webhook-dispatcher']);
  });
});
