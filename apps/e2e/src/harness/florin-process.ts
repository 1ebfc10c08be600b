import type { ManagedProcess, ManagedProcessOptions } from '@florin/dev-platform';
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

/** Florin as a program, with these variables and nothing else of the test's own environment. */
export function programOf(composition: Composition, env: Readonly<Record<string, string>>): ManagedProcessOptions {
  const args = [join(root, programs[composition])];
  return { command: process.execPath, args, cwd: root, env: { ...inheritedEnv(), ...env } };
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
  const { PATH, HOME, TMPDIR, EVENTSTOREDB_RUN } = process.env;
  return { PATH, HOME, TMPDIR, EVENTSTOREDB_RUN };
}

export async function waitUntilReady(child: ManagedProcess, baseUrl: string, readLog: () => string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (!child.isRunning) break;
    const ready = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
    if (ready?.status === 200) return;
    await delay(50);
  }
  child.signal('SIGKILL');
  throw new Error(`Florin did not become ready (exit code ${child.exitCode}):\n${readLog()}`);
}

/** When root runs the tests, the database server runs as another user, who must be able to enter the folder. */
export function newDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'florin-e2e-'));
  chmodSync(directory, 0o711);
  return directory;
}
