import { once } from 'node:events';
import { readdirSync, realpathSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { becomesTrue, isPidInUse, workingDirectory } from '../processes/process-identity';
import { postmasterFile, stopServer } from './server-process';
import { UnusableFolder } from './unusable-folder';

const LAST_HELPER_MS = 10_000;

/**
 * Ends what an earlier run left behind. When Florin was killed, its server may live on without it; when the server was
 * killed as well, its helpers can outlive it for a moment, and its mark names a process id that may by now be another's.
 */
export async function endPreviousServer(cluster: string): Promise<void> {
  const mark = postmasterFile(cluster);
  if (!mark) return;
  const directory = realpathSync(cluster);
  if (workingDirectory(mark.pid) === directory) return stopServer(mark.pid);
  await refuseWhenServedFromElsewhere(mark.socket, directory);
  const isDeserted = await becomesTrue(() => !isAnyProcessIn(directory), LAST_HELPER_MS);
  // Postgres takes its mark for that of a running server as long as the id is taken, be it by a stranger or by a process
  // that has ended but was never collected by its parent. A power cut may also leave a mark without any id.
  if (isDeserted && (!mark.pid || isPidInUse(mark.pid))) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** Containers that share a folder do not see each other's processes, but a socket in the folder connects them all. */
async function refuseWhenServedFromElsewhere(socket: string, directory: string): Promise<void> {
  const connection = connect(socket);
  try {
    await once(connection, 'connect');
  } catch {
    return;
  } finally {
    connection.destroy();
  }
  throw new UnusableFolder(
    `Another Postgres, which cannot be seen from here, is serving ${directory}, perhaps in another container; ` +
      'stop it, or set FLORIN_DATA_DIR to another folder.',
  );
}

/** Every process of a Postgres server works in the server's data folder. */
function isAnyProcessIn(directory: string): boolean {
  if (process.platform !== 'linux') return false;
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && workingDirectory(Number(name)) === directory);
}
