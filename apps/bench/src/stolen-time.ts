import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const sampleMs = 250;
/** Above this share of the CPU time, a duration says more about the host than about the product. */
const maxShare = 0.05;
/** Requests wait for those that were delayed before. */
const aftermathMs = 500;

/** Records when the host of a virtual machine gave its CPU time to others. Where the system does not report it: never. */
export class StolenTime {
  private readonly stolen: { readonly from: number; readonly to: number }[] = [];
  private last = { at: performance.now(), ...cpuTicks() };
  private readonly timer = setInterval(() => this.sample(), sampleMs);

  /** Whether a duration between these times of `performance.now()` is that of the product. */
  isUndisturbed(from: number, to: number): boolean {
    this.sample();
    return !this.stolen.some((time) => time.from < to && time.to + aftermathMs > from);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    const at = performance.now();
    if (at - this.last.at < sampleMs / 2) return;
    const ticks = cpuTicks();
    if (stolenShare(this.last, ticks) > maxShare) this.stolen.push({ from: this.last.at, to: at });
    this.last = { at, ...ticks };
  }
}

const maxRepeats = 3;

/** Repeats a run during which the host took CPU time away, a few times. Such moments decide rates and percentiles. */
export async function undisturbed<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let repeats = 0; ; repeats++) {
    const before = cpuTicks();
    const result = await run();
    const share = stolenShare(before, cpuTicks());
    if (share <= maxShare) return result;
    const isLast = repeats === maxRepeats;
    const verb = isLast ? 'counts' : 'is repeated';
    console.error(`The host took ${(share * 100).toFixed(0)} % of the CPU time during a run, which ${verb}`);
    if (isLast) return result;
  }
}

function stolenShare(before: Ticks, after: Ticks): number {
  return (after.stolen - before.stolen) / Math.max(1, after.total - before.total);
}

interface Ticks {
  readonly total: number;
  readonly stolen: number;
}

/** CPU time of the machine since its start, in ticks, and how much of it the host has given to other machines. */
function cpuTicks(): Ticks {
  if (!existsSync('/proc/stat')) return { total: 0, stolen: 0 };
  const [, ...fields] = /^cpu .*$/m.exec(readFileSync('/proc/stat', 'utf8'))![0].split(/\s+/);
  // The last two are parts of the first two.
  const ticks = fields.slice(0, 8).map(Number);
  return { total: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7]! };
}
