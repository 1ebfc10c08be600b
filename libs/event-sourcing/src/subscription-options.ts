import type { Backoff } from './backoff';
import type { CheckpointStore, Membership, ShardClaim } from './ports/checkpoint-store.port';
import type { EventStore, Position, RecordedEvent } from './ports/event-store.port';
import type { Progress } from './progress';

export interface SubscriptionLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Everything a subscription needs except how it processes events. */
export interface SubscriptionRuntime<Tx> {
  readonly store: EventStore;
  readonly checkpoints: Pick<CheckpointStore<Tx>, 'join' | 'position'>;
  readonly progress: Progress;
  readonly log: SubscriptionLog;
  /** Distinguishes an outage, which is retried forever, from a poison event, which stops the subscription. */
  readonly isTransient: (error: unknown) => boolean;
  readonly backoff?: Backoff;
  readonly attemptsPerBatch?: number;
  readonly balanceEveryMs?: number;
  readonly pageSize?: number;
  /** How long events may accumulate between two batches while no reader waits for them. */
  readonly lingerMs?: number;
  /** The same while no other replica runs the subscription: then every reader is in this process and ends it. */
  readonly lingerAloneMs?: number | undefined;
  /** A shard that would set more streams aside stops. */
  readonly maxSetAsideStreams?: number;
  /** How often a stream is retried whose commands failed because another service cannot read their streams. */
  readonly retryBlockedMs?: number;
}

/** Events of one shard. */
export interface Batch<Tx> extends BatchContext {
  readonly events: readonly RecordedEvent[];
  readonly membership: Membership<Tx>;
  readonly claim: ShardClaim;
  /** Stores that the events are processed, with these writes in the same transaction. */
  readonly commit: (write?: (tx: Tx) => Promise<void>) => Promise<void>;
}

export interface BatchContext {
  /** The events come from a set-aside stream, long after events with higher positions. */
  readonly isLate: boolean;
  /** The position from which events of the stream are missing, because it is set aside. */
  setAsideFrom(stream: string): Position | undefined;
}

export interface SubscriptionOptions<Tx> extends SubscriptionRuntime<Tx> {
  readonly name: string;
  /** Only streams of these categories; all when absent. */
  readonly categories?: readonly string[];
  readonly shardCount: number;
  /** Only events of these types; all when absent. */
  readonly eventTypes?: ReadonlySet<string> | undefined;
  /** Types outside of this set come from another release, and their streams are set aside; none when absent. */
  readonly knownEventTypes?: ReadonlySet<string> | undefined;
  /** Whether it depends on the order of events of different streams. Then an unreadable event stops it. */
  readonly inOrder?: boolean | undefined;
  /** Throws `UnreadableEvent` or `BlockedEvent` to set a stream aside. */
  readonly work: (batch: Batch<Tx>) => Promise<void>;
  /** Throws what `work` would throw for the events of `batch`, and has no effects: `commit` rolls back. */
  readonly probe?: (batch: Batch<Tx>) => Promise<void>;
}

export type SubscriptionStatus =
  | { readonly state: 'running' | 'ended' }
  /** It fails again and again, since this time. */
  | { readonly state: 'retrying'; readonly reason: string; readonly sinceMs: number }
  | { readonly state: 'stopped'; readonly reason: string };

/** Short outages are normal: a subscription that retries for longer than this is not healthy. */
const maxRetryMs = 5_000;

/** Why a subscription is not healthy; undefined if it is. */
export function problemOf(status: SubscriptionStatus, nowMs = Date.now()): string | undefined {
  if (status.state === 'stopped') return status.reason;
  if (status.state !== 'retrying' || nowMs - status.sinceMs < maxRetryMs) return undefined;
  return `has been failing for ${Math.floor((nowMs - status.sinceMs) / 1_000)} s: ${status.reason}`;
}
