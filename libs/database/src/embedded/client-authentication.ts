import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';
import type { ServerFolder } from './server-folder';

type Method = 'trust' | 'scram-sha-256';

const RELOAD_TIMEOUT_MS = 10_000;

/**
 * The server's pg_hba.conf. It is written at every start, because a server starts without passwords: the process that
 * starts it sets them, and requires them before a service uses the database.
 */
export function writeAuthentication({ path, account }: ServerFolder, method: Method): string {
  const file = join(path, 'pg_hba.conf');
  rmSync(file, { force: true });
  writeFileSync(file, `local all all ${method}\n`, { mode: 0o600, flag: 'wx' });
  const { uid, gid } = account;
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
  return file;
}

/** From now on the server rejects connections without a password. */
export async function requirePasswords(folder: ServerFolder, connection: DatabaseConnection): Promise<void> {
  writeAuthentication(folder, 'scram-sha-256');
  await reload(connection);
  // The server reads the file some time after it was asked to.
  for (const startedAt = Date.now(); await admitsAnybody(connection); await delay(5)) {
    if (Date.now() - startedAt > RELOAD_TIMEOUT_MS)
      throw new Error('The embedded Postgres does not require passwords.');
  }
}

async function reload(connection: DatabaseConnection): Promise<void> {
  const client = new Client({ ...connection });
  await client.connect();
  await client.query('SELECT pg_reload_conf()').finally(() => client.end());
}

const INVALID_PASSWORD = '28P01';

async function admitsAnybody(connection: DatabaseConnection): Promise<boolean> {
  const client = new Client({ ...connection, password: 'none' });
  try {
    await client.connect();
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === INVALID_PASSWORD) return false;
    throw error;
  } finally {
    await client.end();
  }
}
