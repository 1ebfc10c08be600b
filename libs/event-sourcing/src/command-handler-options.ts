import type { Clock } from '@florin/kernel';
import type { Backoff } from './backoff';
import type { EventStore } from './ports/event-store.port';
import type { SnapshotStore } from './ports/snapshot-store.port';

export interface CommandHandlerOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Enables snapshots, so that long streams are not read from their first event. */
  readonly snapshots?: SnapshotStore;
  readonly cachedStreams?: number;
  /**
   * A command that begins a stream and rarely comes twice. The stream is not read before it: the append fails if the stream
   * has events, and then it is read.
   */
  readonly firstCommand?: string;
  readonly maxWaiting?: number;
  /** How many commands are decided together. The default has room for those of the largest bulk request. */
  readonly maxBatch?: number;
  readonly maxAttempts?: number;
  readonly backoff?: Backoff;
}
