import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses } from '../process/process-list';

const POLL_MS = 20;
const EXIT_TIMEOUT_MS = 10_000;

export interface FoundBroker {
  readonly pid: number;
  /** The process that has started it. */
  readonly starter: number;
  /** Whether its starter has ended, so that no process will stop it. */
  readonly isOrphaned: boolean;
}

/** A Java property without a meaning to Kafka. It identifies the broker of a folder in the list of processes. */
export function brokerMark(dataDirectory: string): string {
  return `-Dflorin.broker=${process.pid}-${nameOf(dataDirectory)}`;
}

/** The broker that runs on the folder. */
export function findBroker(dataDirectory: string): FoundBroker | undefined {
  const mark = new RegExp(`-Dflorin\\.broker=(\\d+)-${nameOf(dataDirectory)}`);
  for (const { pid, command, parentPid } of listProcesses()) {
    const starter = Number(mark.exec(command)?.[1]);
    // The system gives an orphan another parent, so this is right even when the starter's id is in use again.
    if (starter) return { pid, starter, isOrphaned: parentPid !== starter };
  }
  return undefined;
}

/** SIGKILL loses nothing that Kafka has acknowledged: the data is in the page cache already. */
export async function killBroker({ pid }: FoundBroker, dataDirectory: string): Promise<void> {
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + EXIT_TIMEOUT_MS;
  while (findBroker(dataDirectory)?.pid === pid) {
    if (Date.now() > deadline) throw new Error(`The Kafka broker, process ${pid}, does not exit; kill it by hand.`);
    await delay(POLL_MS);
  }
}

function nameOf(dataDirectory: string): string {
  return createHash('sha256').update(dataDirectory).digest('hex').slice(0, 32);
}
