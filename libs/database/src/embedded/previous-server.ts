import { once } from 'node:events';
import { readdirSync, realpathSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { waitUntil, isPidInUse, workingDirectory } from '../processes/process-identity';
import { postmasterFile, stopServer } from './server-process';
import { DataFolderError } from './lock-data-folder';

const LAST_HELPER_MS = 10_000;

/**
 * Stops what an earlier run left behind. A server outlives a killed Florin. When the server was killed as well, its
 * child processes run on for a moment, and its pid file may name an id that another process has now.
 */
export async function endPreviousServer(cluster: string): Promise<void> {
  const mark = postmasterFile(cluster);
  if (!mark) return;
  const directory = realpathSync(cluster);
  if (workingDirectory(mark.pid) === directory) return stopServer(mark.pid);
  await rejectWhenServedElsewhere(mark.socket, directory);
  const isUnused = await waitUntil(() => !isAnyProcessIn(directory), LAST_HELPER_MS);
  // Postgres treats the pid file as that of a running server while any process has the id, even an unrelated one or one
  // that has ended and was not reaped. A power cut may also leave an empty pid file.
  if (isUnused && (!mark.pid || isPidInUse(mark.pid))) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** Containers that share a folder do not see each other's processes, but they can connect to a socket in it. */
async function rejectWhenServedElsewhere(socket: string, directory: string): Promise<void> {
  const connection = connect(socket);
  try {
    await once(connection, 'connect');
  } catch {
    return;
  } finally {
    connection.destroy();
  }
  throw new DataFolderError(
    `Another Postgres, which is not visible from here, serves ${directory}, perhaps in another container; ` +
      'stop it, or set FLORIN_DATA_DIR to another folder.',
  );
}

/** The data folder is the working directory of every process of a Postgres server. */
function isAnyProcessIn(directory: string): boolean {
  if (process.platform !== 'linux') return false;
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && workingDirectory(Number(name)) === directory);
}
