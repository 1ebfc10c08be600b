import { setTimeout as delay } from 'node:timers/promises';

export interface Backoff {
  /** Waits before the given retry (1, 2, …). Resolves early, without throwing, when the signal aborts. */
  wait(retry: number, signal?: AbortSignal): Promise<void>;
}

/** Doubling delays with jitter, so that replicas that failed together do not retry together. */
export function exponentialBackoff(firstMs: number, maxMs: number): Backoff {
  return {
    wait: async (retry, signal) => {
      const ceiling = Math.min(maxMs, firstMs * 2 ** (retry - 1));
      const pause = ceiling / 2 + Math.random() * (ceiling / 2);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    },
  };
}
