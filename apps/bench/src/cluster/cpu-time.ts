import { readdirSync, readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/** What a process and those it has started have taken of the processors so far. A database server works in its children. */
export function cpuMicroseconds(pid: number): number {
  const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const family = new Set([pid]);
  // Children have higher numbers than their parents unless the numbers have started over, which one more round mends.
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

/** Its name may hold spaces and brackets, so that the fields are counted from behind it; it may also just have ended. */
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
