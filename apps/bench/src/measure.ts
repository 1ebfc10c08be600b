import { performance } from 'node:perf_hooks';
import { undisturbed } from './stolen-time';

/** Does one unit of work and resolves when it is durable. */
export type Caller = () => Promise<void>;

/** Runs once and returns units per second. */
export type Contestant = () => Promise<number>;

/** Runs all callers concurrently, each one unit after another, until the duration is over. */
export async function unitsPerSecond(callers: readonly Caller[], durationMs: number): Promise<number> {
  const begin = performance.now();
  const end = begin + durationMs;
  const counts = await Promise.all(
    callers.map(async (call) => {
      let count = 0;
      for (; performance.now() < end; count++) await call();
      return count;
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  return counts.reduce((sum, count) => sum + count, 0) / seconds;
}

/**
 * The median of each contestant's runs. Each round runs all contestants and starts with a different one, so that other
 * load on the machine affects all of them equally; runs that the host disturbs are repeated. The first round is a warm-up.
 */
export async function medians<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(contestants) as Name[];
  const runs = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let index = 0; index < names.length; index++) {
      const name = names[(round + index) % names.length]!;
      const result = await undisturbed(contestants[name]);
      if (round > 0) runs.get(name)!.push(result);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(runs.get(name)!)])) as Record<Name, number>;
}

/** The values must be in ascending order: `quantile(sorted, 0.99)`. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
