import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ListedProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly command: string;
}

/** Every process of this machine that runs a command. */
export function listProcesses(): ListedProcess[] {
  const listed = process.platform === 'linux' ? processesFromProc() : processesFromPs();
  return listed.filter(({ command }) => command !== '');
}

/** Sends a signal to a process that may already have ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function processesFromProc(): ListedProcess[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map((id) => ({
    pid: Number(id),
    parentPid: Number(/^PPid:\s*(\d+)/m.exec(readOrEmpty(`/proc/${id}/status`))?.[1]),
    command: readOrEmpty(`/proc/${id}/cmdline`).replaceAll('\0', ' ').trim(),
  }));
}

function processesFromPs(): ListedProcess[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => {
    const [, pid, parentPid, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parentPid: Number(parentPid), command };
  });
}

/** A process may end after it was listed and before its files are read. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
