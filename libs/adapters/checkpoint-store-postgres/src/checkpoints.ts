import {
  beforeFirst,
  type Position,
  type SetAsideChanges,
  type SetAsideStream,
  ShardLost,
  type ShardPositions,
} from '@florin/event-sourcing';
import { DatabaseError, escapeLiteral, type Pool, type PoolClient, type QueryResult } from 'pg';

/** The error code that `event_store.move_checkpoint` raises when another member has taken the shard. */
const shardLost = 'FL002';

export interface RegisteredSubscription {
  /** The subscription's key for advisory locks. */
  readonly number: number;
  readonly shardCount: number;
}

/** A shard under a claim. */
export interface Owner {
  readonly subscription: string;
  readonly shard: number;
  readonly epoch: number;
}

/** A step of one shard: the position reached, under which claim. */
export interface Step extends Owner {
  /** The checkpoint position that the caller has seen last. */
  readonly from: Position;
  readonly position: Position;
}

type SetAsideRow = Omit<SetAsideStream, 'position'> & { readonly position: string };

/** The rows that store how far each shard has read. */
export class Checkpoints {
  constructor(private readonly pool: Pool) {}

  /**
   * The first member fixes the number of shards. After a crash between the statements, the next member completes them.
   */
  async register(subscription: string, shardCount: number): Promise<RegisteredSubscription> {
    await this.pool.query(
      `INSERT INTO event_store.subscriptions (name, shard_count)
       SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM event_store.subscriptions WHERE name = $1)
       ON CONFLICT DO NOTHING`,
      [subscription, shardCount],
    );
    await this.pool.query(
      `INSERT INTO event_store.subscription_shards (subscription, shard)
       SELECT name, shard FROM event_store.subscriptions, generate_series(0, shard_count - 1) AS shard WHERE name = $1
       ON CONFLICT DO NOTHING`,
      [subscription],
    );
    const { rows } = await this.pool.query<RegisteredSubscription>(
      'SELECT number, shard_count AS "shardCount" FROM event_store.subscriptions WHERE name = $1',
      [subscription],
    );
    return rows[0]!;
  }

  async position(subscription: string): Promise<Position> {
    const { rows } = await this.pool.query<{ position: string | null }>({
      name: 'checkpoint-position',
      text: 'SELECT min(position) AS position FROM event_store.subscription_shards WHERE subscription = $1',
      values: [subscription],
    });
    return BigInt(rows[0]?.position ?? beforeFirst);
  }

  /** The position of a sink of log checkpoints is the number of a checkpoint. */
  async furthestPosition(): Promise<Position> {
    const { rows } = await this.pool.query<{ position: string | null }>(
      `SELECT max(position) AS position FROM event_store.subscription_shards WHERE subscription NOT LIKE 'checkpoint-sink-%'`,
    );
    return BigInt(rows[0]?.position ?? beforeFirst);
  }

  async setAside(subscription: string): Promise<readonly SetAsideStream[]> {
    const { rows } = await this.pool.query<SetAsideRow>(
      `SELECT stream, position, revision, type, schema_version AS "schemaVersion", reason
       FROM event_store.set_aside_streams WHERE subscription = $1`,
      [subscription],
    );
    return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
  }

  async move(step: Step): Promise<void> {
    const { subscription, shard, epoch, from, position } = step;
    try {
      const { rowCount } = await this.pool.query({
        name: 'move-checkpoint',
        text: `SELECT event_store.move_checkpoint($1, $2, $3, $4) ${whereNotTakenBack('$1', '$2', '$5')}`,
        values: [subscription, shard, epoch, position, from],
      });
      if (rowCount === 0) throw new ShardLost(subscription, shard);
    } catch (error) {
      throw asShardLost(error, step);
    }
  }

  /** Moves the checkpoint first: from then on no other member can take the shard before the transaction ends. */
  async moveTogetherWith(step: Step, work: (tx: PoolClient) => Promise<void>): Promise<void> {
    const client = await this.pool.connect();
    try {
      const hasMoved = await begin(client, step);
      if (hasMoved) await work(client);
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      await rollBack(client);
      throw asShardLost(error, step);
    }
  }

  /** Durable, unlike a step: no later step would notice that a server crash has undone it. */
  async writeAs(owner: Owner, work: (tx: PoolClient) => Promise<void>): Promise<void> {
    const { subscription, shard, epoch } = owner;
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const { rowCount } = await client.query(
        `SELECT FROM event_store.subscription_shards WHERE subscription = $1 AND shard = $2 AND epoch = $3 FOR UPDATE`,
        [subscription, shard, epoch],
      );
      if (rowCount === 0) throw new ShardLost(subscription, shard);
      await work(client);
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      await rollBack(client);
      throw error;
    }
  }

  /** The locks on the rows make members wait: every step moves a checkpoint first. */
  async whilePaused(
    subscriptions: readonly string[],
    work: (paused: readonly ShardPositions[], tx: PoolClient) => Promise<readonly ShardPositions[]>,
  ): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<{ subscription: string; shard: number; position: string }>(
        `SELECT subscription, shard, position FROM event_store.subscription_shards
         WHERE subscription = ANY ($1) ORDER BY subscription, shard FOR UPDATE`,
        [subscriptions],
      );
      const moved = await work(
        subscriptions.map((name) => {
          const shards = rows.filter(({ subscription }) => subscription === name);
          return shards.map(({ position }) => BigInt(position));
        }),
        client,
      );
      const steps = subscriptions.flatMap((name, index) =>
        moved[index]!.map((position, shard) => ({ name, shard, position })),
      );
      await client.query(
        `UPDATE event_store.subscription_shards AS known SET position = moved.position
         FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS moved (subscription, shard, position)
         WHERE known.subscription = moved.subscription AND known.shard = moved.shard AND known.position < moved.position`,
        [steps.map(({ name }) => name), steps.map(({ shard }) => shard), steps.map(({ position }) => position)],
      );
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      await rollBack(client);
      throw error;
    }
  }
}

/**
 * A server crash can undo steps that it had acknowledged, together with what was written in them. The member that made
 * them would leave a gap with its next step, so it has to start again from the stored checkpoint.
 */
function whereNotTakenBack(subscription: string, shard: string, from: string): string {
  return `FROM event_store.subscription_shards
    WHERE subscription = ${subscription} AND shard = ${shard} AND position >= ${from}`;
}

export async function changeSetAside(
  subscription: string,
  { put = [], removed = [] }: SetAsideChanges,
  tx: PoolClient,
): Promise<void> {
  if (put.length > 0) {
    const column = (name: keyof SetAsideStream): unknown[] => put.map((entry) => entry[name]);
    const names = ['stream', 'position', 'revision', 'type', 'schemaVersion', 'reason'] as const;
    await tx.query(
      `INSERT INTO event_store.set_aside_streams (subscription, stream, position, revision, type, schema_version, reason)
       SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::text[], $6::integer[], $7::text[])
       ON CONFLICT (subscription, stream) DO UPDATE SET position = excluded.position, revision = excluded.revision,
         type = excluded.type, schema_version = excluded.schema_version, reason = excluded.reason`,
      [subscription, ...names.map(column)],
    );
  }
  if (removed.length > 0) {
    const text = 'DELETE FROM event_store.set_aside_streams WHERE subscription = $1 AND stream = ANY ($2)';
    await tx.query(text, [subscription, removed]);
  }
}

/** One round trip: several statements in one text, which therefore have no parameters. */
async function begin(client: PoolClient, { subscription, shard, epoch, from, position }: Step): Promise<boolean> {
  const name = escapeLiteral(subscription);
  const step = `event_store.move_checkpoint(${name}, ${shard}, ${epoch}, ${position})`;
  const results: unknown = await client.query(
    `BEGIN; SELECT ${step} AS "hasMoved" ${whereNotTakenBack(name, `${shard}`, `${from}`)}`,
  );
  const [, moved] = results as [QueryResult, QueryResult<{ hasMoved: boolean }>];
  const [row] = moved.rows;
  if (row === undefined) throw new ShardLost(subscription, shard);
  return row.hasMoved;
}

/** A connection that cannot roll back is discarded, and the server rolls back. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK');
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

function asShardLost(error: unknown, { subscription, shard }: Step): unknown {
  return error instanceof DatabaseError && error.code === shardLost ? new ShardLost(subscription, shard) : error;
}
