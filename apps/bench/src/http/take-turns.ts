import type { BenchContext, BenchRow } from '../bench';
import { median } from '../measure';
import { type Load, type LoadResult, postAll } from './http-load';

export interface HttpContestant extends Pick<Load, 'url' | 'connections' | 'next'> {
  readonly name: string;
  /** Waits until the server has done what it put off, so that it takes nothing from whoever comes next. */
  readonly rest?: () => Promise<void>;
}

/**
 * Every round measures all of them one right after the other and compares within the round, because what else the
 * machine does changes from minute to minute. A first round only warms up.
 */
export async function takeTurns(
  context: BenchContext,
  contestants: readonly HttpContestant[],
  references: readonly string[],
): Promise<BenchRow[]> {
  const { durationMs } = context;
  const rounds: Map<string, LoadResult>[] = [];
  for (let round = 0; round <= context.rounds * 2; round++) {
    const results = new Map<string, LoadResult>();
    for (const { name, rest, ...load } of contestants) {
      results.set(name, await postAll({ ...load, durationMs }));
      await rest?.();
    }
    const figures = [...results].map(([name, result]) => `${name} ${Math.round(result.requestsPerSecond)}/s`);
    context.progress(figures.join(', '));
    if (round > 0) rounds.push(results);
  }
  return contestants.map(({ name }): BenchRow => {
    const of = (figure: (result: LoadResult) => number): number =>
      median(rounds.map((round) => figure(round.get(name)!)));
    const ratioTo = (reference: string): number =>
      median(rounds.map((round) => round.get(name)!.requestsPerSecond / round.get(reference)!.requestsPerSecond));
    return {
      what: name,
      figures: {
        'requests/s': of(({ requestsPerSecond }) => requestsPerSecond),
        ...Object.fromEntries(references.map((reference) => [`ratio to ${reference}`, ratioTo(reference)])),
        'p50 ms': of(({ p50Ms }) => p50Ms),
        'p99 ms': of(({ p99Ms }) => p99Ms),
      },
    };
  });
}
