import type { ManagedProcess, ManagedProcessOptions } from '@florin/dev-platform';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Composition, kafkaEnv, newDataDirectory, programOf, waitUntilReady } from './florin-process';

/** The variable with the port at which specs find the host. */
export const sharedFlorinVariable = 'FLORIN_TEST_SHARED_PORT';

export interface SharedFlorinAddress {
  readonly baseUrl: string;
  readonly dataDirectory: string;
  readonly logFile: string;
}

export type SharedFlorinResponse = SharedFlorinAddress | { readonly failure: string };

/** No rate limits, webhooks to local receivers, and every log line, because some specs search the log for secrets. */
const settings = {
  RATE_LIMIT_SANDBOX: '0',
  RATE_LIMIT_LIVE: '0',
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  LOG_LEVEL: 'trace',
};

/** Jest resolves no workspace packages in its global setup, so the caller passes what the host needs of them. */
export interface HostEnvironment {
  readonly freePort: () => Promise<number>;
  readonly testBroker: () => Promise<string>;
  readonly launch: (options: ManagedProcessOptions) => ManagedProcess;
}

interface SharedFlorin extends SharedFlorinAddress {
  /** Fails when Florin did not exit cleanly. */
  stop(): Promise<void>;
}

/**
 * Jest runs specs in worker processes that come and go, but calls `globalSetup` in a process that lives as long as the run.
 * That process starts the shared Florin when the first spec requests it. Returns a function that stops it.
 */
export async function hostSharedFlorin(environment: HostEnvironment): Promise<() => Promise<void>> {
  const starts = new Map<string, Promise<SharedFlorin>>();
  const start = (kind: string): Promise<SharedFlorin> => {
    const [composition, eventStore] = kind.split('/');
    const started = starts.get(kind) ?? startShared(composition as Composition, eventStore!, environment);
    starts.set(kind, started);
    return started;
  };
  const server = createServer((request, response) => {
    const address = start((request.url ?? '').slice(1));
    address.then(
      (florin) => response.end(JSON.stringify(florin)),
      (error: Error) => response.end(JSON.stringify({ failure: error.message })),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[sharedFlorinVariable] = String((server.address() as AddressInfo).port);
  return async () => {
    server.close();
    for (const started of starts.values()) await (await started.catch(() => undefined))?.stop();
  };
}

async function startShared(
  composition: Composition,
  eventStore: string,
  environment: HostEnvironment,
): Promise<SharedFlorin> {
  const dataDirectory = newDataDirectory();
  const logFile = `${dataDirectory}.log`;
  const port = await environment.freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const kafka = composition === 'cluster' ? kafkaEnv(await environment.testBroker(), dataDirectory) : {};
  const env = { ...settings, ...kafka, EVENT_STORE: eventStore, PORT: String(port), FLORIN_DATA_DIR: dataDirectory };
  writeFileSync(logFile, '');
  const onLine = (line: string): void => appendFileSync(logFile, `${line}\n`);
  const child = environment.launch({ ...programOf(composition, env), onLine });
  // Jest skips its teardown when it is interrupted.
  process.once('exit', () => child.signal('SIGTERM'));
  const readLog = (): string => readFileSync(logFile, 'utf8');
  await waitUntilReady(child, baseUrl, readLog);
  const stop = async (): Promise<void> => {
    child.signal('SIGTERM');
    const how = await child.exited;
    if (child.exitCode !== 0) throw new Error(`The shared Florin exited with ${how}; its log is ${logFile}`);
    rmSync(dataDirectory, { recursive: true, force: true });
    rmSync(logFile);
  };
  return { baseUrl, dataDirectory, logFile, stop };
}
