import type {
  CheckpointStore,
  Membership,
  PausableSubscription,
  Position,
  ShardPositions,
} from '@florin/event-sourcing';
import { type ClientConfig, Pool, type PoolClient } from 'pg';
import { Checkpoints } from './checkpoints';
import { LockSessions } from './lock-session';
import { PostgresMembership } from './postgres-membership';

export interface PostgresCheckpointStoreOptions {
  /** How many shards can advance at the same time. One more connection holds the locks. */
  readonly connections?: number;
}

/** The server ends a transaction that has stalled for this long, so that it cannot block its shard. */
const timeouts = {
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** Checkpoints in a Postgres database with the `event_store` migrations, preferably the database of the read models. */
export class PostgresCheckpointStore implements CheckpointStore<PoolClient> {
  private readonly pool: Pool;
  private readonly checkpoints: Checkpoints;
  private readonly sessions: LockSessions;
  private readonly joined = new Set<string>();

  constructor(connection: ClientConfig, options: PostgresCheckpointStoreOptions = {}) {
    const config = { application_name: 'florin checkpoints', ...connection };
    this.pool = new Pool({ ...config, ...timeouts, max: options.connections ?? 4 });
    // A broken connection fails at its next use. Without a listener its error would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.checkpoints = new Checkpoints(this.pool);
    this.sessions = new LockSessions(config);
  }

  async join(subscription: string, shardCount: number): Promise<Membership<PoolClient>> {
    // Locks belong to the session, so two memberships in one process would share each other's shards.
    if (this.joined.has(subscription)) {
      throw new Error(`This process has joined subscription ${subscription} already; leave it before joining again`);
    }
    this.joined.add(subscription);
    try {
      const registered = await this.checkpoints.register(subscription, shardCount);
      const onLeave = (): void => void this.joined.delete(subscription);
      const { sessions, checkpoints } = this;
      const membership = new PostgresMembership({ subscription, registered, sessions, checkpoints, onLeave });
      await membership.enter();
      return membership;
    } catch (error) {
      this.joined.delete(subscription);
      throw error;
    }
  }

  async whilePaused(
    subscriptions: readonly PausableSubscription[],
    work: (paused: readonly ShardPositions[], tx: PoolClient) => Promise<readonly ShardPositions[]>,
  ): Promise<void> {
    for (const { name, shardCount } of subscriptions) await this.checkpoints.register(name, shardCount);
    const names = subscriptions.map(({ name }) => name);
    await this.checkpoints.whilePaused(names, work);
  }

  position(subscription: string): Promise<Position> {
    return this.checkpoints.position(subscription);
  }

  /** The furthest position that any subscription has reached. */
  furthestPosition(): Promise<Position> {
    return this.checkpoints.furthestPosition();
  }

  async close(): Promise<void> {
    await this.sessions.close();
    await this.pool.end();
  }
}
