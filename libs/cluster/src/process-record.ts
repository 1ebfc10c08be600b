import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandOf, signalProcess } from './running-process';

/** The id alone says little, because systems hand ids out again; the command line names this very data folder. */
interface RecordedProcess {
  readonly name: string;
  readonly pid: number;
  readonly command: string;
}

interface RecordedCluster {
  readonly launcher: RecordedProcess;
  readonly processes: readonly RecordedProcess[];
}

/** The services need their engines until they have ended. */
const engineNames: readonly string[] = ['kafka', 'eventstoredb', 'postgres'];
/** What a server understands as: end in order, and: end now. Postgres would otherwise wait for its clients. */
const signalsOf = (name: string) =>
  name === 'postgres' ? (['SIGINT', 'SIGQUIT'] as const) : (['SIGTERM', 'SIGKILL'] as const);

const patienceMs = 15_000;
const pollMs = 50;

/** By this very process. */
const inUse = new Set<string>();

/** A file in the data folder that names what runs there, so that nothing is lost sight of when the launcher is killed. */
export class ProcessRecord {
  private readonly processes: RecordedProcess[] = [];

  private constructor(private readonly file: string) {}

  /** Ends what a killed launcher has left behind; refuses while the other launcher lives. */
  static async open(dataDirectory: string, tell: (line: string) => void): Promise<ProcessRecord> {
    const file = fileIn(dataDirectory);
    const earlier = read(file);
    if (inUse.has(file) || (earlier && earlier.launcher.pid !== process.pid && isAlive(earlier.launcher))) {
      throw new Error(
        `A cluster is already running as process ${earlier?.launcher.pid} on the folder ${dataDirectory}; ` +
          'stop it, or choose another folder.',
      );
    }
    inUse.add(file);
    if (earlier) await endLeftovers(earlier, tell);
    const record = new ProcessRecord(file);
    record.write();
    return record;
  }

  add(name: string, pid: number | undefined): void {
    const command = pid === undefined ? undefined : commandOf(pid);
    if (pid === undefined || command === undefined) return;
    this.processes.push({ name, pid, command });
    this.write();
  }

  remove(pid: number | undefined): void {
    const index = this.processes.findIndex((recorded) => recorded.pid === pid);
    if (index === -1) return;
    this.processes.splice(index, 1);
    this.write();
  }

  close(): void {
    inUse.delete(this.file);
    rmSync(this.file, { force: true });
  }

  private write(): void {
    const launcher = { name: 'launcher', pid: process.pid, command: commandOf(process.pid) ?? '' };
    const draft = `${this.file}.new`;
    writeFileSync(draft, `${JSON.stringify({ launcher, processes: this.processes }, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.file);
  }
}

/** Ends everything that this process runs on a data folder, without waiting for anything: the last resort. */
export function abandonProcesses(dataDirectory: string): void {
  const recordedCluster = read(fileIn(dataDirectory));
  if (recordedCluster?.launcher.pid !== process.pid) return;
  for (const recorded of recordedCluster.processes) {
    if (isAlive(recorded)) signalProcess(recorded.pid, signalsOf(recorded.name)[1]);
  }
}

/** Ends in order what a launcher that is gone has left on a data folder. */
export async function endAbandoned(dataDirectory: string, launcher: number): Promise<void> {
  const recorded = read(fileIn(dataDirectory));
  if (recorded?.launcher.pid === launcher) await endLeftovers(recorded, () => undefined);
}

async function endLeftovers({ processes }: RecordedCluster, tell: (line: string) => void): Promise<void> {
  const leftovers = processes.filter(isAlive);
  if (leftovers.length === 0) return;
  tell(`Ending what an earlier cluster left behind: ${leftovers.map(({ name }) => name).join(', ')}`);
  await Promise.all(leftovers.filter(({ name }) => !engineNames.includes(name)).map(end));
  await Promise.all(leftovers.filter(({ name }) => engineNames.includes(name)).map(end));
}

async function end(leftover: RecordedProcess): Promise<void> {
  for (const signal of signalsOf(leftover.name)) {
    signalProcess(leftover.pid, signal);
    for (let waited = 0; waited < patienceMs && isAlive(leftover); waited += pollMs) await delay(pollMs);
    if (!isAlive(leftover)) return;
  }
  throw new Error(`${leftover.name}, process ${leftover.pid} of an earlier run, does not end; end it by hand.`);
}

function isAlive({ pid, command }: RecordedProcess): boolean {
  return commandOf(pid) === command;
}

function fileIn(dataDirectory: string): string {
  return join(dataDirectory, 'processes.json');
}

function read(file: string): RecordedCluster | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RecordedCluster;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${(error as Error).message}. End what still runs there and remove it.`);
  }
}
