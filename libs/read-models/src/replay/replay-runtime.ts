import type { DatabaseConnection } from '@florin/database';
import type { CheckpointStore, EventStore } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { ReplayWorker } from './replay-parts';

export interface ReplayRuntime {
  /** The database of the read models, as a role that may project. */
  readonly connection: DatabaseConnection;
  readonly store: Pick<EventStore, 'head' | 'readAll'>;
  readonly checkpoints: Pick<CheckpointStore<PoolClient>, 'whilePaused'>;
  /** The number of shards of a read model without checkpoints. */
  readonly shardCount: number;
  readonly release: string;
  /** Interrupts it. The live read models stay as they are, and the next replay continues. */
  readonly signal?: AbortSignal;
  /** Called about once a second. */
  readonly report?: (progress: ReplayProgress) => void;
  /** Threads that rebuild a part of the read models each, beside this one. */
  readonly workers?: readonly ReplayWorker[];
}

export interface ReplayProgress {
  /** Events that were projected, once for every read model that needs them. */
  readonly events: number;
  readonly eventsPerSecond: number;
  /** The part of the log that all read models together have read, from 0 to 1. */
  readonly completed: number;
  readonly secondsLeft?: number;
  /** The switch waits for locks that reads, vacuum or a backup hold. */
  readonly isWaiting?: true;
}
