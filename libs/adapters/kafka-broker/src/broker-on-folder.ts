import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
const GONE_TIMEOUT_MS = 10_000;

export interface BrokerOnFolder {
  readonly pid: number;
  /** The process that has started it. */
  readonly starter: number;
  /** Whether its starter is gone, and nobody is left who would stop it. */
  readonly isLeftBehind: boolean;
}

/** An argument without a meaning to Java, by which a broker can be told from all other processes, and from other folders'. */
export function brokerMark(dataDirectory: string): string {
  return `-Dflorin.broker=${process.pid}-${nameOf(dataDirectory)}`;
}

/** The broker that is running on the folder, whoever has started it. */
export function brokerOnFolder(dataDirectory: string): BrokerOnFolder | undefined {
  const mark = new RegExp(`-Dflorin\\.broker=(\\d+)-${nameOf(dataDirectory)}`);
  for (const { pid, command, parent } of runningProcesses()) {
    const starter = Number(mark.exec(command)?.[1]);
    // Whoever loses the parent is handed to another one, so this holds even when the starter's id is in use again.
    if (starter) return { pid, starter, isLeftBehind: parent() !== starter };
  }
  return undefined;
}

/** Kafka survives the hard way, and nothing it has accepted is lost by it: what is written lies with the system already. */
export async function endBroker({ pid }: BrokerOnFolder, dataDirectory: string): Promise<void> {
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + GONE_TIMEOUT_MS;
  while (brokerOnFolder(dataDirectory)?.pid === pid) {
    if (Date.now() > deadline) throw new Error(`The Kafka broker, process ${pid}, does not end; end it by hand.`);
    await delay(POLL_MS);
  }
}

function nameOf(dataDirectory: string): string {
  return createHash('sha256').update(dataDirectory).digest('hex').slice(0, 32);
}

interface RunningProcess {
  readonly pid: number;
  readonly command: string;
  parent(): number | undefined;
}

function runningProcesses(): RunningProcess[] {
  return process.platform === 'linux' ? processesFromProc() : processesFromPs();
}

function processesFromProc(): RunningProcess[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map((id) => ({
    pid: Number(id),
    command: readOrNothing(`/proc/${id}/cmdline`),
    parent: () => Number(/^PPid:\s*(\d+)/m.exec(readOrNothing(`/proc/${id}/status`))?.[1]),
  }));
}

function processesFromPs(): RunningProcess[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command, parent: () => Number(parent) };
  });
}

/** A process may end between being listed and being looked at. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
