import { youngGeneration } from '@florin/dev-platform';
import { temporaryDataDirectory } from '@florin/database';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join, resolve } from 'node:path';

export interface ServerProcess {
  readonly baseUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ProductProcess extends ServerProcess {
  readonly operatorToken: string;
}

const address = /http:\/\/127\.0\.0\.1:\d+/;

/** The product as `npm start` runs it, in a separate process and without rate limits. */
export async function startProduct(): Promise<ProductProcess> {
  const dataDirectory = temporaryDataDirectory('florin-bench-');
  const main = resolve(__dirname, '../../../all-in-one/dist/main.js');
  const env = { PORT: '0', FLORIN_DATA_DIR: dataDirectory, RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0' };
  const server = await start(main, env, /Florin is ready/, [youngGeneration]);
  const file = readFileSync(join(dataDirectory, 'credentials.json'), 'utf8');
  const { operatorToken } = JSON.parse(file) as { operatorToken: string };
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  return { ...server, operatorToken, stop };
}

export function startEmptyPost(): Promise<ServerProcess> {
  return start(join(__dirname, 'empty-post-server.js'), {}, address);
}

/** Starts a server script that prints its address. */
export function startServer(file: string, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return start(file, env, address);
}

async function start(
  main: string,
  env: Readonly<Record<string, string>>,
  ready: RegExp,
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...nodeOptions, main], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { baseUrl: await readyAddress(child, ready), pid: child.pid!, stop: () => stop(child) };
}

/** Keeps reading the output afterwards: a full pipe would block the server. */
function readyAddress(child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`A server exited with code ${code} before it was ready`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (ready.test(line)) resolve(address.exec(line)![0]);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
