import type { Backoff } from './backoff';
import type { CheckpointStore, Membership, ShardClaim } from './ports/checkpoint-store.port';
import type { EventStore, Position, RecordedEvent } from './ports/event-store.port';
import type { Progress } from './progress';

export interface SubscriptionLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Everything a subscription needs that is not about what it does with the events. */
export interface SubscriptionRuntime<Tx> {
  readonly store: EventStore;
  readonly checkpoints: Pick<CheckpointStore<Tx>, 'join' | 'position'>;
  readonly progress: Progress;
  readonly log: SubscriptionLog;
  /** Tells an outage, which is waited out for ever, from a poison event, which stops the subscription. */
  readonly isTransient: (error: unknown) => boolean;
  readonly backoff?: Backoff;
  readonly attemptsPerBatch?: number;
  readonly balanceEveryMs?: number;
  readonly pageSize?: number;
  /** How long to let events gather between two batches while nobody waits for them. */
  readonly lingerMs?: number;
}

export interface SubscriptionOptions<Tx> extends SubscriptionRuntime<Tx> {
  readonly name: string;
  readonly categories: readonly string[];
  readonly shardCount: number;
  /** Only events of these types; all of them when absent. */
  readonly eventTypes?: ReadonlySet<string>;
  /** Deals with events of one shard and stores the checkpoint `upTo` with `membership.advance`. */
  readonly work: (
    membership: Membership<Tx>,
    claim: ShardClaim,
    events: readonly RecordedEvent[],
    upTo: Position,
  ) => Promise<void>;
}

export type SubscriptionStatus =
  { readonly state: 'running' | 'retrying' | 'ended' } | { readonly state: 'stopped'; readonly reason: string };
