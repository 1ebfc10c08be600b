import type { LogCheckpoint, LogCheckpointStore, Position } from '@florin/event-sourcing';
import type { Pool, PoolClient } from 'pg';

interface Row {
  readonly number: string;
  readonly position: string;
  readonly count: string;
  readonly hash: string;
  readonly contents: string;
  readonly time: Date;
  readonly store: string;
  readonly previous: string;
  readonly key_id: string;
  readonly signature: string;
}

const columns = 'number, position, count, hash, contents, time, store, previous, key_id, signature';

/** The newest checkpoint of the other store: later ones were signed since the log was copied from it. 0 if it never was. */
const lastBeforeCopy = `(
  SELECT coalesce(max(number), 0) FROM event_store.log_checkpoints WHERE store =
    (SELECT CASE store WHEN 'postgres' THEN 'eventstoredb' ELSE 'postgres' END FROM event_store.log_checkpoints ORDER BY number DESC LIMIT 1)
)`;

/** Signed checkpoints in a Postgres database with the `event_store` migrations, independent of where the events are. */
export class PostgresLogCheckpoints implements LogCheckpointStore<PoolClient> {
  constructor(private readonly pool: Pick<Pool, 'query'> | Pick<PoolClient, 'query'>) {}

  /**
   * The position of a subscription need not be durable, but its checkpoint must be: a sink may have it from then on, and
   * a different one with the same number would count as a forgery.
   */
  async append(tx: Pick<PoolClient, 'query'>, checkpoint: LogCheckpoint): Promise<void> {
    const { number, position, count, hash, contents, time, store, previous, keyId, signature } = checkpoint;
    await tx.query('SET LOCAL synchronous_commit = on');
    await tx.query({
      name: 'append-log-checkpoint',
      text: `INSERT INTO event_store.log_checkpoints (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      values: [number, position, count, hash, contents, time, store, previous, keyId, signature],
    });
  }

  async newest(): Promise<LogCheckpoint | undefined> {
    const [newest] = await this.newestFirst(1);
    return newest;
  }

  /** The first one that signs this position in the store that has the log. It stays the same while the log grows. */
  async covering(position: Position): Promise<LogCheckpoint | undefined> {
    const condition = `WHERE position >= $1 AND number > ${lastBeforeCopy} ORDER BY number LIMIT $2`;
    const [first] = await this.select(condition, [position, 1]);
    return first;
  }

  after(number: number, limit: number): Promise<readonly LogCheckpoint[]> {
    return this.select('WHERE number > $1 ORDER BY number LIMIT $2', [number, limit]);
  }

  newestFirst(limit: number, before?: number): Promise<readonly LogCheckpoint[]> {
    if (before === undefined) return this.select('ORDER BY number DESC LIMIT $1', [limit]);
    return this.select('WHERE number < $1 ORDER BY number DESC LIMIT $2', [before, limit]);
  }

  private async select(condition: string, values: readonly (number | bigint)[]): Promise<readonly LogCheckpoint[]> {
    const text = `SELECT ${columns} FROM event_store.log_checkpoints ${condition}`;
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows.map(toCheckpoint);
  }
}

function toCheckpoint({ number, position, count, time, key_id: keyId, ...texts }: Row): LogCheckpoint {
  const { hash, contents, store, previous, signature } = texts;
  const state = { position: BigInt(position), count: Number(count), hash, contents };
  return { number: Number(number), ...state, time: time.toISOString(), store, previous, keyId, signature };
}
