import type { LogCheckpoint } from '../log-checkpoints/log-checkpoint';

/** The signed checkpoints that are stored beside the log, in the order of their numbers. */
export interface LogCheckpointReader {
  newest(): Promise<LogCheckpoint | undefined>;
  /** The next ones after a number, in ascending order. */
  after(number: number, limit: number): Promise<readonly LogCheckpoint[]>;
  /** Newest first, only those before a number if it is given. */
  newestFirst(limit: number, before?: number): Promise<readonly LogCheckpoint[]>;
}

/** Stored checkpoints are never changed or deleted. `Tx` is the transaction of the checkpoint store. */
export interface LogCheckpointStore<Tx> extends LogCheckpointReader {
  /** Durable when the transaction has been committed: the checkpoint may be in the sink right after that. */
  append(tx: Tx, checkpoint: LogCheckpoint): Promise<void>;
}
