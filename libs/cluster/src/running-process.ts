import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The whole command line of a process, or undefined when no such process lives. */
export function commandOf(pid: number): string | undefined {
  try {
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    // What has ended and only waits to be collected has none any more.
    return command.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** It may have ended by itself a moment ago. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
