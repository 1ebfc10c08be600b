import type { CheckpointStore, Membership, ShardClaim } from '../ports/checkpoint-store.port';

export interface CheckpointStoreUnderTest<Tx> {
  readonly store: CheckpointStore<Tx>;
  /** The same store as another process sees it. `crash` ends its session without notice. */
  openAnother(): Promise<{ readonly store: CheckpointStore<Tx>; crash(): Promise<void> }>;
  /** A write for `work` that shows whether the transaction was committed. */
  write(tx: Tx, text: string): Promise<void>;
  written(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Shared by all parts of the contract. */
export interface CheckpointStoreMembers<Tx> {
  underTest(): CheckpointStoreUnderTest<Tx>;
  subscription(): string;
  /** Every member that has joined leaves at the end of the test. */
  join(shardCount: number, through?: CheckpointStore<Tx>, subscription?: string): Promise<Membership<Tx>>;
  joinFromAnotherProcess(shardCount: number): Promise<Membership<Tx>>;
  balanceUntil(member: Membership<Tx>, count: number): Promise<readonly ShardClaim[]>;
}
