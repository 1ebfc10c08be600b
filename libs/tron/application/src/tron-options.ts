import type { Backoff, SubscriptionLog } from '@florin/event-sourcing';

export interface TronOptions {
  /** The first block to read. It counts on the very first start only; after that the log knows. */
  readonly startBlock: number;
  /** The address of the token's contract, `T…`. */
  readonly contract: string;
  /** How fast to read at most, so that a shared node is not worn out; 25 unless told. */
  readonly blocksPerSecond?: number;
  /** How many blocks may be under way at once; 8 unless told. */
  readonly concurrency?: number;
  /** How long blocks in which there is nothing for us may wait to be recorded together; 5 seconds unless told. */
  readonly storeEveryMs?: number;
  /** How often to look for new blocks; every second unless told. */
  readonly pollMs?: number;
  readonly log: SubscriptionLog;
  /** The pauses after failures. */
  readonly backoff?: Backoff;
  /** Measures and passes the time between blocks; a test has a time of its own. */
  readonly time?: WatcherTime;
}

export interface WatcherTime {
  /** Only ever grows, unlike a clock that is set. */
  nowMs(): number;
  /** Resolves after the time, or as soon as the signal aborts. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const TRON_OPTIONS = Symbol('TronOptions');
