import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DatabaseConnection } from '../connection';

const ROOT = join(__dirname, '../../../..');

/** The program of the other process: it starts a server, reports it, and stops it on a message. It only reports SIGINT. */
const LAUNCHER = `
  const { startEmbeddedPostgres } = require(process.argv[1]);
  process.on('SIGINT', () => process.send('interrupted'));
  startEmbeddedPostgres({ dataDirectory: process.argv[2] }).then((server) => {
    process.once('message', () => server.stop().then(() => process.disconnect()));
    process.send({ serverPid: server.pid, connection: server.connection });
  });
`;

export interface ServerInChildProcess {
  readonly launcher: ChildProcess;
  readonly serverPid: number;
  readonly connection: DatabaseConnection;
  readonly interrupted: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts the embedded server from another process, in the compiled form that the product runs in. */
export async function startInChildProcess(dataDirectory: string): Promise<ServerInChildProcess> {
  const entry = join(ROOT, 'libs/database/dist/embedded/embedded-postgres.js');
  const launcher = spawn(process.execPath, ['-e', LAUNCHER, entry, dataDirectory], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const failed = once(launcher, 'exit').then(() => Promise.reject(new Error('The launcher exited without a message.')));
  const [started] = (await Promise.race([once(launcher, 'message'), failed])) as [
    Pick<ServerInChildProcess, 'serverPid' | 'connection'>,
  ];
  return {
    launcher,
    ...started,
    interrupted: once(launcher, 'message'),
    stop: async () => {
      launcher.send('stop');
      await once(launcher, 'exit');
    },
  };
}
