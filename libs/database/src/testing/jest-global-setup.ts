import { rmSync } from 'node:fs';
import { startEmbeddedPostgres } from '../embedded/embedded-postgres';
import { temporaryDataDirectory } from '../embedded/temporary-data-directory';
import { ensureDatabase } from '../ensure-database';
import { migrateDatabase } from '../migrations/migrate-database';
import { databaseRoles, roleName } from '../roles/rights';
import { generatePassword, setRolePasswords } from '../roles/role-passwords';
import { stopAbandonedServers, TEST_FOLDER_PREFIX } from './abandoned-servers';
import { TEMPLATE_DATABASE, TEST_SERVER_VARIABLE } from './test-database';
import stopTestServer, { stopLater } from './jest-global-teardown';

/** Starts one real Postgres for the whole run and migrates a template from which every suite gets its own database. */
export default async function startTestServer(): Promise<void> {
  await stopAbandonedServers();
  const dataDirectory = temporaryDataDirectory(TEST_FOLDER_PREFIX);
  const server = await startEmbeddedPostgres({ dataDirectory, settings: { max_connections: '200' } });
  stopLater(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  try {
    await migrateDatabase(await ensureDatabase(server.connection, TEMPLATE_DATABASE));
    // The server trusts every connection, but a role without a password cannot log in.
    const passwords = databaseRoles.map((role) => [roleName(role), generatePassword()] as const);
    await setRolePasswords(server.connection, Object.fromEntries(passwords));
  } catch (error) {
    // Jest calls no teardown when its setup has failed.
    await stopTestServer();
    throw error;
  }
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(server.connection);
}
