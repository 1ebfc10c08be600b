import { readdirSync, readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/** CPU time used by a process and its descendants. A Postgres server works in child processes. */
export function cpuMicroseconds(pid: number): number {
  const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const family = new Set([pid]);
  // Child PIDs are higher than parent PIDs unless they wrapped around, which the second round covers.
  for (let round = 0; round < 2; round++) {
    for (const stat of stats) if (family.has(stat.parent)) family.add(stat.pid);
  }
  const ticks = stats.filter((stat) => family.has(stat.pid)).reduce((sum, stat) => sum + stat.ticks, 0);
  return ticks * microsecondsPerTick;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** The process name may contain spaces and brackets, so the fields are counted after it. The process may have ended. */
function readStat(pid: number): Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // user, system, and those of children that have ended
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return [{ pid, parent: Number(fields[1]), ticks }];
  } catch {
    return [];
  }
}
