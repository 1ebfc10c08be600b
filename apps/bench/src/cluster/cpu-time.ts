import { descendantsOf } from '@florin/dev-platform/testing';
import { readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/** CPU time used by a process and its descendants. A Postgres server works in child processes. */
export function cpuMicroseconds(pid: number): number {
  const pids = [pid, ...descendantsOf(pid).map((descendant) => descendant.pid)];
  return pids.reduce((sum, each) => sum + ticksOf(each), 0) * microsecondsPerTick;
}

/** 0 for a process that has ended. The process name may contain spaces and brackets: the fields are counted after it. */
function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // User and system time, also of children that have ended.
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
  } catch {
    return 0;
  }
}
