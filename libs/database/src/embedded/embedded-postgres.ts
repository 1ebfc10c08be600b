import type { ChildProcess } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseConnection } from '../connection';
import { requirePasswords, writeAuthentication } from './client-authentication';
import { ensureCluster, SERVER_USER } from './create-cluster';
import type { LockFile } from '../processes/lock-file';
import { lockDataFolder } from './lock-data-folder';
import { providePostgresBinaries } from './postgres-binaries';
import { endPreviousServer } from './previous-server';
import { runningAsRoot } from './server-account';
import {
  provideServerFolder,
  recreateSocketDirectory,
  ROOT_STAGING_DIRECTORY,
  type ServerFolder,
} from './server-folder';
import { rotateLog, tailOf } from './server-log';
import { startServer, stopServer } from './server-process';
import { settingsAsArguments } from './server-settings';

export interface EmbeddedPostgresOptions {
  readonly dataDirectory: string;
  /** Called once when the server exits unexpectedly; the application can only stop then. */
  readonly onExit?: (error: Error) => void;
  readonly log?: (message: string) => void;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** The address of the maintenance database `postgres`; `ensureDatabase` creates one to work in. */
  readonly connection: DatabaseConnection;
  readonly pid: number;
  /** Until then the server trusts every connection: only the user that started it can enter the folder of its socket. */
  requirePasswords(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs the Postgres server from the npm package on a folder, and recovers from any state the folder was left in. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  // Others may enter the folder but not list it: a server started by root runs as another user.
  mkdirSync(options.dataDirectory, { recursive: true, mode: runningAsRoot() ? 0o711 : 0o700 });
  // The server has another working directory, so it needs an absolute path.
  const dataDirectory = realpathSync(options.dataDirectory);
  return withLockUnlessFailed(lockDataFolder(dataDirectory), (lock) => {
    const folder = provideServerFolder(dataDirectory);
    return withLockUnlessFailed(lockServerFolder(folder, dataDirectory), (inner) =>
      startLocked({ ...options, dataDirectory }, folder, {
        release: () => {
          inner.release();
          lock.release();
        },
      }),
    );
  });
}

/** A copied data folder can link to the server folder of the original, whose own lock does not cover the copy. */
function lockServerFolder({ path }: ServerFolder, dataDirectory: string): LockFile {
  const entry = join(dataDirectory, 'postgres');
  if (path === entry) return lockDataFolder(path);
  return lockDataFolder(path, `, to which ${entry} is only a link (cp -aL copies what is behind it)`);
}

/** Releases the lock when the work fails; otherwise the result releases it. */
async function withLockUnlessFailed<Result>(
  lock: LockFile,
  work: (lock: LockFile) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(
  options: EmbeddedPostgresOptions,
  folder: ServerFolder,
  lock: LockFile,
): Promise<EmbeddedPostgres> {
  if (folder.isStaged) options.log?.(`The database is stored in ${folder.path}, which the server's user can access.`);
  const binaries = providePostgresBinaries(folder.account, runningAsRoot() ? ROOT_STAGING_DIRECTORY : folder.path);
  const cluster = ensureCluster(folder, binaries);
  await endPreviousServer(cluster);
  const socketDirectory = recreateSocketDirectory(folder);
  const logFile = join(folder.path, 'server.log');
  rotateLog(logFile);
  const server = await startServer({
    program: binaries.postgres,
    arguments: settingsAsArguments({
      ...options.settings,
      unix_socket_directories: socketDirectory,
      hba_file: writeAuthentication(folder, 'trust'),
    }),
    cluster,
    account: folder.account,
    logFile,
  });
  const connection = { host: socketDirectory, user: SERVER_USER, database: 'postgres' };
  const supervised = supervise(server, logFile, lock, options);
  return { ...supervised, connection, requirePasswords: () => requirePasswords(folder, connection) };
}

function supervise(
  server: ChildProcess,
  logFile: string,
  lock: LockFile,
  { onExit }: EmbeddedPostgresOptions,
): Pick<EmbeddedPostgres, 'pid' | 'stop'> {
  const pid = server.pid as number;
  let stopping: Promise<void> | undefined;
  server.once('exit', (code, signal) => {
    if (stopping) return;
    const outcome = signal ?? `code ${code}`;
    onExit?.(new Error(`The embedded Postgres exited unexpectedly with ${outcome}. Its log:\n${tailOf(logFile)}`));
  });
  const stop = async () => {
    await stopServer(pid);
    lock.release();
  };
  return { pid, stop: () => (stopping ??= stop()) };
}
