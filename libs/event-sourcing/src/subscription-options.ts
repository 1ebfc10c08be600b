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
}

export interface SubscriptionOptions<Tx> extends SubscriptionRuntime<Tx> {
  readonly name: string;
  /** Only streams of these categories; all when absent. */
  readonly categories?: readonly string[];
  readonly shardCount: number;
  /** Only events of these types; all when absent. */
  readonly eventTypes?: ReadonlySet<string>;
  /** Processes events of one shard and stores the checkpoint `upTo` with `membership.advance`. */
  readonly work: (
    membership: Membership<Tx>,
    claim: ShardClaim,
    events: readonly RecordedEvent[],
    upTo: Position,
  ) => Promise<void>;
}

export type SubscriptionStatus =
  { readonly state: 'running' | 'retrying' | 'ended' } | { readonly state: 'stopped'; readonly reason: string };
