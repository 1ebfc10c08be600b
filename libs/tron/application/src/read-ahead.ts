import { untilAborted } from '@florin/kernel';
import type { Block, Chain } from './chain.port';
import type { RateLimiter } from './rate-limiter';
import type { WatcherTime } from './tron-options';

export interface ReadAheadOptions {
  readonly chain: Chain;
  readonly concurrency: number;
  readonly rateLimiter: RateLimiter;
  readonly time: WatcherTime;
}

/**
 * Yields blocks in order while reading the next ones. Throws at the first block that cannot be read, so that no block is
 * skipped, and as soon as the signal aborts.
 */
export async function* readAhead(
  { chain, concurrency, rateLimiter, time }: ReadAheadOptions,
  fromBlock: number,
  toBlock: number,
  signal: AbortSignal,
): AsyncGenerator<Block> {
  const leaving = new AbortController();
  const ending = AbortSignal.any([signal, leaving.signal]);
  const read = async (number: number): Promise<Block | undefined> => {
    const pauseMs = rateLimiter.reserve(time.nowMs());
    // Timers have millisecond resolution: shorter pauses are skipped, or high rates could not be reached.
    if (pauseMs >= 1) await time.pause(pauseMs, ending);
    return ending.aborted ? undefined : chain.readBlock(number);
  };
  const underWay: Promise<Block | undefined>[] = [];
  try {
    for (let next = fromBlock, given = fromBlock; given <= toBlock; given++) {
      while (next <= toBlock && underWay.length < concurrency) {
        const reading = read(next++);
        // When an earlier block fails, no caller awaits this promise.
        reading.catch(() => undefined);
        underWay.push(reading);
      }
      const block = await untilAborted(underWay.shift()!, signal);
      if (block === undefined) return;
      yield block;
    }
  } finally {
    leaving.abort();
  }
}
