import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent } from '../processes/lock-file';
import { waitUntil, processStart } from '../processes/process-identity';
import type { ServerAccount } from './server-account';
import { tailOf } from './server-log';

/** The server does not inherit our environment: variables such as PGDATA would change its behavior. */
export const SERVER_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

const READY_TIMEOUT_MS = 120_000;
const FAST_SHUTDOWN_MS = 10_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;

export interface ServerCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly cluster: string;
  readonly account: ServerAccount;
  readonly logFile: string;
}

/**
 * Starts the server in a separate process group: Ctrl-C in a terminal signals the whole foreground group, and the
 * database must run until the application has finished its work.
 */
export async function startServer(command: ServerCommand): Promise<ChildProcess> {
  const log = openSync(command.logFile, 'a', 0o600);
  const server = spawn(command.program, ['-D', command.cluster, ...command.arguments], {
    ...command.account,
    cwd: command.cluster,
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const failure = new Promise<never>((_, reject) => {
    server.once('error', reject);
    server.once('exit', (code, signal) => reject(new Error(`it exited with ${signal ?? `code ${code}`}`)));
  });
  try {
    await Promise.race([failure, untilReadyOrGone(server, command.cluster)]);
    if (!isReady(server, command.cluster)) await failure;
    return server;
  } catch (error) {
    if (server.pid !== undefined) await stopServer(server.pid);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The embedded Postgres did not start: ${reason}. Its log:\n${tailOf(command.logFile)}`);
  } finally {
    server.removeAllListeners();
  }
}

/** Stops a server with a fast shutdown, or after a timeout with an immediate one, which recovers at the next start. */
export async function stopServer(pid: number): Promise<void> {
  const startedAt = processStart(pid);
  const isGone = () => startedAt === undefined || processStart(pid) !== startedAt;
  if (isGone()) return;
  process.kill(pid, 'SIGINT');
  if (await waitUntil(isGone, FAST_SHUTDOWN_MS)) return;
  process.kill(pid, 'SIGQUIT');
  if (await waitUntil(isGone, IMMEDIATE_SHUTDOWN_MS)) return;
  throw new Error(`The Postgres server, process ${pid}, does not stop; kill it by hand and start Florin again.`);
}

/** The file `postmaster.pid`, which a server keeps in its data folder while it runs and leaves there when it is killed. */
export interface PostmasterFile {
  readonly pid: number;
  readonly socket: string;
  readonly isReady: boolean;
}

/** The lines of the file are: process id, data folder, start time, port, socket folder, …, and state. */
export function postmasterFile(cluster: string): PostmasterFile | undefined {
  const text = readIfPresent(join(cluster, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const [pid, , , port, socketDirectory = '', , , state] = text.split('\n');
  return { pid: Number(pid), socket: join(socketDirectory, `.s.PGSQL.${port}`), isReady: state?.trim() === 'ready' };
}

async function untilReadyOrGone(server: ChildProcess, cluster: string): Promise<void> {
  const isGone = () => server.pid === undefined || server.exitCode !== null || server.signalCode !== null;
  const isSettled = await waitUntil(() => isReady(server, cluster) || isGone(), READY_TIMEOUT_MS);
  if (!isSettled) throw new Error('it was not ready after two minutes');
}

function isReady(server: ChildProcess, cluster: string): boolean {
  const mark = postmasterFile(cluster);
  return mark !== undefined && mark.isReady && mark.pid === server.pid;
}
