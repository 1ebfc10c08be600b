import type { Backoff, SubscriptionLog } from '@florin/event-sourcing';

export interface TronOptions {
  /** The first block to read. Used on the first start only; later starts resume from the log. */
  readonly startBlock: number;
  /** The address of the token contract, `T…`. */
  readonly contract: string;
  /** The rate limit, to protect a shared node; 25 by default. */
  readonly blocksPerSecond?: number;
  /** The number of blocks read concurrently; 8 by default. */
  readonly concurrency?: number;
  /** How long blocks without transfers may wait to be recorded together; 5 seconds by default. */
  readonly storeEveryMs?: number;
  /** The polling interval for new blocks; one second by default. */
  readonly pollMs?: number;
  readonly log: SubscriptionLog;
  /** The delays after failures. */
  readonly backoff?: Backoff;
  /** The monotonic clock and timer; tests inject a virtual one. */
  readonly time?: WatcherTime;
}

export interface WatcherTime {
  /** Monotonic, unlike the system clock. */
  nowMs(): number;
  /** Resolves after the delay, or as soon as the signal aborts. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const TRON_OPTIONS = Symbol('TronOptions');
