import type { Position } from './event-store.port';

/**
 * Remembers how far each subscription has read, and shares its shards out among the replicas that run it.
 * `Tx` is the adapter's transaction: what a projection writes through it becomes visible together with the checkpoint.
 * What every adapter promises is written down as tests in `testing/checkpoint-store.contract.ts`.
 */
export interface CheckpointStore<Tx> {
  /** Joins the replicas that share this subscription. The number of shards is fixed by whoever joins first. */
  join(subscription: string, shardCount: number): Promise<Membership<Tx>>;
  /**
   * Becomes the only member, and keeps everybody else waiting until it leaves. Rejects with `SubscriptionInUse`, and disturbs
   * nobody, while somebody else is a member.
   */
  joinAlone(subscription: string, shardCount: number): Promise<SoleMembership<Tx>>;
  /** How far the slowest shard has read: everything up to here has been dealt with. `beforeFirst` when nobody ever joined. */
  position(subscription: string): Promise<Position>;
}

export interface Membership<Tx> {
  readonly shardCount: number;
  /**
   * The shards that are ours now. Takes free ones up to a fair share (shards by members, rounded up), gives back what
   * exceeds it; call it regularly. A shard kept from before has the same claim as before, a shard lost and won again a new one.
   * A shard is never in the hands of two members at once; when one dies, its shards come free.
   * `give` is called, and awaited, before a shard is handed back, so that work on it can end first.
   */
  balance(give: (shard: number) => Promise<void>): Promise<readonly ShardClaim[]>;
  /**
   * Runs `work` and moves the shard's checkpoint to `position` in one transaction. Checkpoints only move forward: where
   * this one stands at `position` already, an earlier attempt was committed though its answer was lost, and nothing is done.
   * Rejects with `ShardLost`, and rolls back, when the claim is no longer the newest one: a zombie changes nothing.
   */
  advance(claim: ShardClaim, position: Position, work?: (tx: Tx) => Promise<void>): Promise<void>;
  /** Frees our shards for others. Nothing may be under way on them any more. */
  leave(): Promise<void>;
}

/** All shards are its own. Should it lose them, as by a broken connection, others may come, and what it does is refused. */
export interface SoleMembership<Tx> extends Membership<Tx> {
  /**
   * Puts every shard back before the first event, and runs `work`, in one transaction. Claims from before are void;
   * `balance` gives those that begin there.
   */
  startOver(work: (tx: Tx) => Promise<void>): Promise<void>;
}

export interface ShardClaim {
  readonly shard: number;
  /** Grows each time the shard changes hands. */
  readonly epoch: number;
  /** Where the previous holder had got to. */
  readonly position: Position;
}

export class SubscriptionInUse extends Error {
  constructor(readonly subscription: string) {
    super(`Somebody else works on subscription ${subscription}; stop them first`);
    this.name = 'SubscriptionInUse';
  }
}

export class ShardLost extends Error {
  constructor(subscription: string, shard: number) {
    super(`Shard ${shard} of subscription ${subscription} is held by another replica now`);
    this.name = 'ShardLost';
  }
}
