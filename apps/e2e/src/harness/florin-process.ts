import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Florin as one process, or as a cluster of services on Kafka. The same specs run against both. */
export type Composition = 'all-in-one' | 'cluster';

export const root = resolve(__dirname, '../../../..');
const startTimeoutMs = 120_000;
const programs: Record<Composition, string> = {
  'all-in-one': 'apps/all-in-one/dist/main.js',
  cluster: 'apps/cluster-cli/dist/main.js',
};

export function mainOf(composition: Composition): string {
  return join(root, programs[composition]);
}

/** Starts Florin with these variables and nothing else of the test's own environment. */
export function spawnFlorin(
  composition: Composition,
  env: Readonly<Record<string, string>>,
  stdio: StdioOptions,
): ChildProcess {
  return spawn(process.execPath, [mainOf(composition)], { cwd: root, env: { ...inheritedEnv(), ...env }, stdio });
}

/** Clusters share the broker of the run; each has its own topics. A restart waits for the sessions of a killed cluster. */
export function kafkaEnv(brokers: string, dataDirectory = 'none'): Record<string, string> {
  return {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: `${basename(dataDirectory)}.`,
    KAFKA_PARTITIONS: '3',
    KAFKA_SESSION_TIMEOUT_SECONDS: '3',
  };
}

export function inheritedEnv(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] };
}

interface StartedProcess {
  readonly exitCode: number | null;
  kill(signal: 'SIGKILL'): unknown;
}

export async function waitUntilReady(child: StartedProcess, baseUrl: string, readLog: () => string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) break;
    const ready = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
    if (ready?.status === 200) return;
    await delay(50);
  }
  child.kill('SIGKILL');
  throw new Error(`Florin did not become ready (exit code ${child.exitCode}):\n${readLog()}`);
}

/** Sends the signal and returns the exit code. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}

/** When root runs the tests, the database server runs as another user, who must be able to enter the folder. */
export function newDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'florin-e2e-'));
  chmodSync(directory, 0o711);
  return directory;
}
