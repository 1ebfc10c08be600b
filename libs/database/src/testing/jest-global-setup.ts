import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../embedded/embedded-postgres';
import { ensureDatabase } from '../ensure-database';
import { applyMigrations } from '../migrations/apply-migrations';
import { endAbandonedServers, TEST_FOLDER_PREFIX } from './abandoned-servers';
import { TEMPLATE_DATABASE, TEST_SERVER_VARIABLE } from './test-database';
import stopTestServer, { stopLater } from './jest-global-teardown';

/** Starts one real Postgres for the whole run and migrates a template from which every suite gets its own database. */
export default async function startTestServer(): Promise<void> {
  execFileSync(process.execPath, [join(__dirname, '../../../../tools/generate-prisma.mjs')]);
  await endAbandonedServers();
  const dataDirectory = mkdtempSync(join(tmpdir(), TEST_FOLDER_PREFIX));
  // Started by root, the server runs as another user, who has to pass through this folder.
  chmodSync(dataDirectory, 0o711);
  const server = await startEmbeddedPostgres({ dataDirectory, settings: { max_connections: '200' } });
  stopLater(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  try {
    await applyMigrations(await ensureDatabase(server.connection, TEMPLATE_DATABASE));
  } catch (error) {
    // Jest calls no teardown when its setup has failed.
    await stopTestServer();
    throw error;
  }
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(server.connection);
}
