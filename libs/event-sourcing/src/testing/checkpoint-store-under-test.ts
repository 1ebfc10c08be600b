import type { CheckpointStore, Membership, ShardClaim, SoleMembership } from '../ports/checkpoint-store.port';

export interface CheckpointStoreUnderTest<Tx> {
  readonly store: CheckpointStore<Tx>;
  /** The same store as another process sees it. `crash` ends its hold on everything without telling it. */
  openAnother(): Promise<{ readonly store: CheckpointStore<Tx>; crash(): Promise<void> }>;
  /** Something that `work` can do, so that it shows whether a transaction was committed. */
  write(tx: Tx, text: string): Promise<void>;
  written(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What the parts of the contract work with. */
export interface CheckpointStoreMembers<Tx> {
  underTest(): CheckpointStoreUnderTest<Tx>;
  subscription(): string;
  /** All who join leave when the test has ended. */
  join(shardCount: number, through?: CheckpointStore<Tx>, subscription?: string): Promise<Membership<Tx>>;
  joinFromAnotherProcess(shardCount: number): Promise<Membership<Tx>>;
  joinAlone(shardCount: number, through?: CheckpointStore<Tx>): Promise<SoleMembership<Tx>>;
  balanceUntil(member: Membership<Tx>, count: number): Promise<readonly ShardClaim[]>;
}
