import { descendantsOf } from '@florin/dev-platform/testing';
import { readdirSync, readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/** CPU time used by a process and its descendants. A Postgres server works in child processes. */
export function cpuMicroseconds(pid: number): number {
  const pids = [pid, ...descendantsOf(pid).map((descendant) => descendant.pid)];
  // User and system time, also of children that have ended.
  return pids.reduce((sum, each) => sum + ticksOf(`/proc/${each}/stat`, 4), 0) * microsecondsPerTick;
}

export interface ThreadTimes {
  readonly main: number;
  /** The busiest other thread. In the product, it runs the projections. */
  readonly second: number;
  /** Garbage collection, compilation and file access. */
  readonly others: number;
}

/** CPU time of the threads of a process, in microseconds. */
export function threadTimes(pid: number): ThreadTimes {
  const threads = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid));
  const timeOf = (thread: number | string): number =>
    ticksOf(`/proc/${pid}/task/${thread}/stat`, 2) * microsecondsPerTick;
  const [second = 0, ...others] = threads.map(timeOf).sort((a, b) => b - a);
  return { main: timeOf(pid), second, others: others.reduce((sum, time) => sum + time, 0) };
}

/** 0 for what has ended. The name may contain spaces and brackets: the fields are counted after it. */
function ticksOf(file: string, fieldCount: 2 | 4): number {
  try {
    const text = readFileSync(file, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 11 + fieldCount).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0;
  }
}
