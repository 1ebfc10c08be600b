import { acquireLock, AlreadyLocked, type LockFile, processStart } from '@florin/database';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess } from '../process/process-list';

/** The id alone is ambiguous, because systems reuse ids. */
interface RecordedProcess {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: string;
}

interface RecordedCluster {
  readonly launcherPid: number;
  readonly processes: readonly RecordedProcess[];
}

/** The services need these until they have stopped. */
const backingServices: readonly string[] = ['kafka', 'eventstoredb', 'postgres'];
/** The signals for an orderly and for an immediate end. On SIGTERM Postgres would wait for its clients. */
const signalsOf = (name: string) =>
  name === 'postgres' ? (['SIGINT', 'SIGQUIT'] as const) : (['SIGTERM', 'SIGKILL'] as const);

const exitTimeoutMs = 15_000;
const pollMs = 50;

/** A file in the data folder that lists the running processes, so that a killed launcher leaves no unknown ones behind. */
export class ProcessRecord {
  private readonly processes: RecordedProcess[] = [];

  private constructor(
    private readonly file: string,
    private readonly lock: LockFile,
  ) {}

  /** Stops the processes of a killed launcher. Throws while another launcher runs on the folder. */
  static async open(dataDirectory: string, log: (line: string) => void): Promise<ProcessRecord> {
    const file = fileIn(dataDirectory);
    const lock = lockForLauncher(dataDirectory);
    try {
      const earlier = read(file);
      if (earlier) await endLeftovers(earlier, log);
      const record = new ProcessRecord(file, lock);
      record.write();
      return record;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  add(name: string, pid: number | undefined): void {
    const startedAt = pid === undefined ? undefined : processStart(pid);
    const isKnown = this.processes.some((recorded) => recorded.pid === pid && recorded.startedAt === startedAt);
    if (pid === undefined || startedAt === undefined || isKnown) return;
    this.processes.push({ name, pid, startedAt });
    this.write();
  }

  remove(pid: number | undefined): void {
    const index = this.processes.findIndex((recorded) => recorded.pid === pid);
    if (index === -1) return;
    this.processes.splice(index, 1);
    this.write();
  }

  close(): void {
    rmSync(this.file, { force: true });
    this.lock.release();
  }

  private write(): void {
    const recorded: RecordedCluster = { launcherPid: process.pid, processes: this.processes };
    const draft = `${this.file}.new`;
    writeFileSync(draft, `${JSON.stringify(recorded, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.file);
  }
}

/** Kills everything that this process runs on a data folder, without waiting: the last resort. */
export function killRecordedProcesses(dataDirectory: string): void {
  const recorded = read(fileIn(dataDirectory));
  if (recorded?.launcherPid !== process.pid) return;
  for (const leftover of recorded.processes) {
    if (isAlive(leftover)) signalProcess(leftover.pid, signalsOf(leftover.name)[1]);
  }
}

/** Stops in order what a killed launcher has left on a data folder. */
export async function stopAbandonedProcesses(dataDirectory: string, launcherPid: number): Promise<void> {
  const recorded = read(fileIn(dataDirectory));
  if (recorded?.launcherPid === launcherPid) await endLeftovers(recorded, () => undefined);
}

function lockForLauncher(dataDirectory: string): LockFile {
  try {
    return acquireLock(join(dataDirectory, 'cluster.pid'));
  } catch (error) {
    if (!(error instanceof AlreadyLocked)) throw error;
    throw new Error(
      `A cluster is already running as process ${error.pid} on the folder ${dataDirectory}; ` +
        'stop it, or choose another folder.',
    );
  }
}

async function endLeftovers({ processes }: RecordedCluster, log: (line: string) => void): Promise<void> {
  const leftovers = processes.filter(isAlive);
  if (leftovers.length === 0) return;
  log(`Stopping processes that an earlier cluster left behind: ${leftovers.map(({ name }) => name).join(', ')}`);
  await Promise.all(leftovers.filter(({ name }) => !backingServices.includes(name)).map(end));
  await Promise.all(leftovers.filter(({ name }) => backingServices.includes(name)).map(end));
}

async function end(leftover: RecordedProcess): Promise<void> {
  for (const signal of signalsOf(leftover.name)) {
    signalProcess(leftover.pid, signal);
    for (let waited = 0; waited < exitTimeoutMs && isAlive(leftover); waited += pollMs) await delay(pollMs);
    if (!isAlive(leftover)) return;
  }
  throw new Error(`${leftover.name}, process ${leftover.pid} of an earlier run, does not exit; kill it by hand.`);
}

function isAlive({ pid, startedAt }: RecordedProcess): boolean {
  const runningSince = processStart(pid);
  return runningSince !== undefined && runningSince === startedAt;
}

function fileIn(dataDirectory: string): string {
  return join(dataDirectory, 'processes.json');
}

function read(file: string): RecordedCluster | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RecordedCluster;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${(error as Error).message}. Stop what still runs there and delete it.`);
  }
}
