import type { BenchContext, BenchRow } from '../bench';
import { median } from '../measure';
import { undisturbed } from '../stolen-time';
import { type Load, type LoadResult, sendAll } from './http-load';

export interface HttpContestant extends Pick<Load, 'url' | 'connections' | 'next'> {
  readonly name: string;
  /** Waits until the server has finished its background work, so that it does not slow down the next contestant. */
  readonly drain?: () => Promise<void>;
}

/**
 * Every round measures all contestants one after another and compares within the round, because other load on the
 * machine changes over time. The first round is a warm-up.
 */
export async function compareServers(
  context: BenchContext,
  contestants: readonly HttpContestant[],
  references: readonly string[],
): Promise<BenchRow[]> {
  const { durationMs } = context;
  const rounds: Map<string, LoadResult>[] = [];
  for (let round = 0; round <= context.rounds * 2; round++) {
    const results = new Map<string, LoadResult>();
    for (const { name, drain, ...load } of contestants) {
      const run = async (): Promise<LoadResult> => {
        const result = await sendAll({ ...load, durationMs });
        await drain?.();
        return result;
      };
      results.set(name, await undisturbed(run));
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
