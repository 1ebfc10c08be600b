import type { Membership, Position, SetAsideChanges, SetAsideStream, ShardClaim } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import { changeSetAside, type Checkpoints, type Owner, type RegisteredSubscription } from './checkpoints';
import type { LockSession, LockSessions } from './lock-session';

/**
 * Every member holds a shared lock on the pair (subscription, 0). The owner of a shard holds an exclusive lock on
 * (subscription, shard + 1). Pairs are a separate key space of advisory locks that nothing else in Florin uses.
 */
const membershipKey = 0;
const keyOf = (shard: number): number => shard + 1;

type Work = (tx: PoolClient) => Promise<void>;

interface SharingOut {
  readonly members: number;
  readonly takenKeys: ReadonlySet<number>;
}

export interface MembershipOptions {
  readonly subscription: string;
  readonly registered: RegisteredSubscription;
  readonly sessions: LockSessions;
  readonly checkpoints: Checkpoints;
  readonly onLeave: () => void;
}

export class PostgresMembership implements Membership<PoolClient> {
  readonly shardCount: number;
  members = 1;
  /** The session that took the locks. They are valid exactly as long as it lives. */
  private session: LockSession | undefined;
  private readonly claims = new Map<number, ShardClaim>();
  /** How far the steps under a claim have been acknowledged. */
  private readonly reached = new WeakMap<ShardClaim, Position>();

  constructor(private readonly options: MembershipOptions) {
    this.shardCount = options.registered.shardCount;
  }

  /** Joins, or rejoins: a new session means that all claims were lost with the previous one. */
  async enter(): Promise<LockSession> {
    const session = await this.options.sessions.get();
    if (session !== this.session) {
      this.claims.clear();
      await session.query('SELECT pg_advisory_lock_shared($1, $2)', [this.number, membershipKey]);
      this.session = session;
    }
    return session;
  }

  async balance(release: (shard: number) => Promise<void>): Promise<readonly ShardClaim[]> {
    const session = await this.enter();
    const { members, takenKeys } = await this.look(session);
    this.members = members;
    const fairShare = Math.ceil(this.shardCount / members);
    for (const shard of [...this.claims.keys()].slice(fairShare)) {
      await release(shard);
      this.claims.delete(shard);
      await this.unlock(session, [keyOf(shard)]);
    }
    for (let shard = 0; shard < this.shardCount && this.claims.size < fairShare; shard++) {
      if (!takenKeys.has(keyOf(shard))) await this.take(session, shard);
    }
    return [...this.claims.values()];
  }

  async advance(claim: ShardClaim, position: Position, work?: Work, changes: SetAsideChanges = {}): Promise<void> {
    const { checkpoints } = this.options;
    const from = this.reached.get(claim) ?? claim.position;
    const step = { ...this.owner(claim), from, position };
    const hasChanges = [...(changes.put ?? []), ...(changes.removed ?? [])].length > 0;
    if (work === undefined && !hasChanges) await checkpoints.move(step);
    else await checkpoints.moveTogetherWith(step, (tx) => this.change(changes, work, tx));
    if (position > from) this.reached.set(claim, position);
  }

  write(claim: ShardClaim, changes: SetAsideChanges, work?: Work): Promise<void> {
    return this.options.checkpoints.writeAs(this.owner(claim), (tx) => this.change(changes, work, tx));
  }

  setAside(): Promise<readonly SetAsideStream[]> {
    return this.options.checkpoints.setAside(this.options.subscription);
  }

  private async change(changes: SetAsideChanges, work: Work | undefined, tx: PoolClient): Promise<void> {
    await work?.(tx);
    await changeSetAside(this.options.subscription, changes, tx);
  }

  private owner({ shard, epoch }: ShardClaim): Owner {
    return { subscription: this.options.subscription, shard, epoch };
  }

  async leave(): Promise<void> {
    const { session } = this;
    const keys = [...this.claims.keys()].map(keyOf);
    this.claims.clear();
    this.session = undefined;
    this.options.onLeave();
    if (!session?.isAlive) return;
    await this.unlock(session, keys);
    await session.query('SELECT pg_advisory_unlock_shared($1, $2)', [this.number, membershipKey]);
  }

  private get number(): number {
    return this.options.registered.number;
  }

  private async look(session: LockSession): Promise<SharingOut> {
    const rows = await session.query<{ key: number }>(
      `SELECT objid::integer AS key FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND classid = $1::integer::oid AND objsubid = 2
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [this.number],
    );
    const keys = rows.map(({ key }) => key);
    return { members: keys.filter((key) => key === membershipKey).length, takenKeys: new Set(keys) };
  }

  /** The new epoch is durable before the claim is returned, so the previous owner can no longer write. */
  private async take(session: LockSession, shard: number): Promise<void> {
    const [attempt] = await session.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', [
      this.number,
      keyOf(shard),
    ]);
    if (!attempt?.taken) return;
    try {
      const [row] = await session.query<{ epoch: number; position: string }>(
        `UPDATE event_store.subscription_shards SET epoch = epoch + 1 WHERE subscription = $1 AND shard = $2
         RETURNING epoch, position`,
        [this.options.subscription, shard],
      );
      if (row === undefined) {
        throw new Error(
          `Shard ${shard} of ${this.options.subscription} cannot be claimed: its row was deleted, or belongs to another role`,
        );
      }
      this.claims.set(shard, { shard, epoch: row.epoch, position: BigInt(row.position) });
    } catch (error) {
      await this.unlock(session, [keyOf(shard)]).catch(() => session.close());
      throw error;
    }
  }

  private async unlock(session: LockSession, keys: readonly number[]): Promise<void> {
    await session.query('SELECT pg_advisory_unlock($1, key) FROM unnest($2::integer[]) AS key', [this.number, keys]);
  }
}
