import type { Position } from './event-store.port';

/**
 * Stores how far each subscription has read, and distributes its shards over the replicas that run it. `Tx` is the
 * adapter's transaction: a projection's writes become visible together with the checkpoint.
 * `testing/checkpoint-store.contract.ts` specifies the behavior of every adapter.
 */
export interface CheckpointStore<Tx> {
  /** Joins the members of this subscription. The first member fixes the number of shards. */
  join(subscription: string, shardCount: number): Promise<Membership<Tx>>;
  /**
   * Runs `work` in one transaction during which no member of these subscriptions can advance. `work` gets the checkpoints of
   * all shards and returns where to move them; checkpoints only move forward. A member continues from the new ones, and skips
   * steps that they include.
   */
  whilePaused(
    subscriptions: readonly PausableSubscription[],
    work: (paused: readonly ShardPositions[], tx: Tx) => Promise<readonly ShardPositions[]>,
  ): Promise<void>;
  /**
   * The position of the slowest shard: all events up to here are processed. `beforeFirst` for an unknown subscription.
   */
  position(subscription: string): Promise<Position>;
}

export interface PausableSubscription {
  readonly name: string;
  /** For a subscription that no member has joined yet. */
  readonly shardCount: number;
}

/** The checkpoints of a subscription, one per shard. */
export type ShardPositions = readonly Position[];

export interface Membership<Tx> {
  readonly shardCount: number;
  /** How many members the subscription had at the last call of `balance`, including this one. */
  readonly members: number;
  /**
   * Returns the shards assigned to this member. Claims free shards up to a fair share (shards by members, rounded up)
   * and releases the excess. Call it regularly. A retained shard keeps its claim; a shard that was lost and claimed
   * again has a new one. A shard never belongs to two members at once; the shards of a dead member become free.
   * `release` is awaited before a shard is released, so that work on it can end first.
   */
  balance(release: (shard: number) => Promise<void>): Promise<readonly ShardClaim[]>;
  /**
   * Runs `work` and moves the shard's checkpoint to `position` in one transaction, together with the `changes` of set-aside
   * streams. Checkpoints only move forward: if the checkpoint is already at `position`, an earlier attempt was committed but
   * its acknowledgement lost, and nothing is done. Rejects with `ShardLost`, and rolls back, when the claim is not the newest
   * one.
   */
  advance(
    claim: ShardClaim,
    position: Position,
    work?: (tx: Tx) => Promise<void>,
    changes?: SetAsideChanges,
  ): Promise<void>;
  /** Like `advance`, but the checkpoint does not move. Durable when it resolves. */
  write(claim: ShardClaim, changes: SetAsideChanges, work?: (tx: Tx) => Promise<void>): Promise<void>;
  /** The set-aside streams of all shards. */
  setAside(): Promise<readonly SetAsideStream[]>;
  /** Releases all shards. No work on them may be in progress. */
  leave(): Promise<void>;
}

export interface ShardClaim {
  readonly shard: number;
  /** Grows with every new owner of the shard. */
  readonly epoch: number;
  /** The checkpoint of the previous owner. */
  readonly position: Position;
}

/** A stream with an event that a subscription could not process. It skips the stream from this event on. */
export interface SetAsideStream {
  readonly stream: string;
  /** Where processing has to continue: all events of the stream before it are processed. */
  readonly position: Position;
  readonly revision: number;
  /** The event that could not be processed. */
  readonly type: string;
  readonly schemaVersion: number;
  readonly reason: string;
}

export interface SetAsideChanges {
  /** New entries, or entries with new positions. */
  readonly put?: readonly SetAsideStream[];
  /** Streams that are caught up. */
  readonly removed?: readonly string[];
}

export class ShardLost extends Error {
  constructor(subscription: string, shard: number) {
    super(`Shard ${shard} of subscription ${subscription} now belongs to another replica`);
    this.name = 'ShardLost';
  }
}
