import { Client } from 'pg';
import { migrateDatabase } from '../migrations/migrate-database';
import { createTestDatabase, type TestDatabase } from '../testing';
import { applyRights } from './apply-rights';
import { inspectUser } from './database-user';
import { describeRoles } from './describe-roles';
import { databaseRoles, roleName } from './rights';
import { setRolePasswords } from './role-passwords';

jest.setTimeout(60_000);

describe('applying rights', () => {
  let database: TestDatabase;
  let owner: Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    owner = new Client({ ...database.connection });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    await database.drop();
  });

  const unchanged = { createdRoles: [], missingRoles: [], granted: 0, revoked: 0 };
  const differences = async () =>
    (await describeRoles(database.connection)).flatMap((described) => described.differences);

  it('changes nothing in a database that matches', async () => {
    expect(await applyRights(database.connection)).toEqual(unchanged);
    expect(await differences()).toEqual([]);
  });

  it('grants missing rights and revokes others, also those of everybody', async () => {
    await owner.query(`
      REVOKE SELECT ON event_store.events FROM florin_ledger;
      REVOKE USAGE ON SCHEMA vault FROM florin_gateway;
      GRANT UPDATE, DELETE ON event_store.events TO florin_ledger;
      GRANT DELETE ON event_store.events TO PUBLIC;
      GRANT EXECUTE ON FUNCTION event_store.append TO PUBLIC`);
    expect(await differences()).toEqual([
      'GRANT USAGE ON SCHEMA vault TO florin_gateway',
      'GRANT SELECT ON TABLE event_store.events TO florin_ledger',
      'REVOKE UPDATE ON TABLE event_store.events FROM florin_ledger',
      'REVOKE DELETE ON TABLE event_store.events FROM florin_ledger',
    ]);
    expect(await applyRights(database.connection)).toEqual({ ...unchanged, granted: 2, revoked: 4 });
    expect(await differences()).toEqual([]);
    expect(await applyRights(database.connection)).toEqual(unchanged);
  });

  it('restores the policies on rows', async () => {
    await owner.query(`
      DROP POLICY florin_invoicing ON event_store.snapshots;
      CREATE POLICY florin_invoicing ON event_store.snapshots TO florin_invoicing USING (true);
      CREATE POLICY open ON event_store.subscription_shards TO florin_operations USING (true);
      ALTER TABLE event_store.subscriptions DISABLE ROW LEVEL SECURITY`);
    expect(await differences()).toContain('DROP POLICY "open" ON event_store.subscription_shards');
    expect(await applyRights(database.connection)).toEqual({ ...unchanged, granted: 1, revoked: 3 });
    expect(await differences()).toEqual([]);
    expect(await applyRights(database.connection)).toEqual(unchanged);
  });

  it('leaves tables and roles of others alone', async () => {
    const other = `reports_${database.connection.database}`;
    await owner.query(`
      CREATE ROLE ${other};
      GRANT SELECT ON read_models.operations TO ${other};
      CREATE TABLE read_models.newer (id integer);
      GRANT SELECT ON read_models.newer TO florin_ledger`);
    expect(await applyRights(database.connection)).toEqual(unchanged);
    await owner.query(`DROP OWNED BY ${other}; DROP ROLE ${other}`);
  });

  it('allows several processes to start at once', async () => {
    await owner.query('REVOKE ALL ON ALL TABLES IN SCHEMA event_store FROM florin_ledger, florin_projector');
    const results = await Promise.all([1, 2, 3].map(() => applyRights(database.connection)));
    expect(results.filter(({ granted }) => granted > 0)).toHaveLength(1);
    expect(await differences()).toEqual([]);
  });

  it('does not change the rights that a newer release has set', async () => {
    await owner.query(`
      GRANT UPDATE ON event_store.snapshots TO florin_gateway;
      INSERT INTO public._prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('newer', 'x', '29990101000000_newer', now())`);
    expect(await migrateDatabase(database.connection)).toEqual({ migrations: [] });
    expect(await differences()).toEqual(['REVOKE UPDATE ON TABLE event_store.snapshots FROM florin_gateway']);
  });

  it('reports whether a user owns the tables and can rewrite the log', async () => {
    const ledger = database.connectionAs('ledger');
    expect(await inspectUser(database.connection)).toEqual({ isOwner: true, canRewriteLog: true });
    expect(await inspectUser(ledger)).toEqual({ isOwner: false, canRewriteLog: false });
    await owner.query('GRANT DELETE ON event_store.events TO florin_ledger');
    expect(await inspectUser(ledger)).toEqual({ isOwner: false, canRewriteLog: true });
  });

  it('describes every role', async () => {
    const described = await describeRoles(database.connection);
    expect(described.map(({ name, exists }) => [name, exists])).toEqual(
      databaseRoles.map((role) => [roleName(role), true]),
    );
  });

  it('rejects passwords that other clients might encode differently', async () => {
    const attempt = setRolePasswords(database.connection, { florin_ledger: 'pässword' });
    await expect(attempt).rejects.toThrow('The password of florin_ledger must be visible ASCII without spaces.');
  });
});
