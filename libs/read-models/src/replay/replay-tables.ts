import { type Position } from '@florin/event-sourcing';
import type { Pool, PoolClient } from 'pg';
import type { ReadModel } from '../all-projections';

/** The schema in which read models are rebuilt before they replace the live ones. */
export const nextSchema = 'read_models_next';
/** The schema of the replaced tables. */
export const oldSchema = 'read_models_old';
/** The schema of read models as of a position, which are never switched. */
export const schemaAt = (position: Position): string => `read_models_at_${position}`;

/** Another replay has taken over, because this one has lost its lock. */
export class ReplayTakenOver extends Error {
  constructor(projection: string) {
    super(`Another replay has taken over ${projection}`);
    this.name = 'ReplayTakenOver';
  }
}

export interface ReplayRun {
  readonly id: string;
  /** Another release continues no rebuild of this one: its projections may differ. */
  readonly release: string;
}

/** The tables of rebuilds and how far they are built, in Postgres. */
export class ReplayTables {
  constructor(
    private readonly pool: Pool,
    readonly schema: string,
    readonly run: ReplayRun,
  ) {}

  /** Creates the tables of a read model, or continues with those of an interrupted replay. Returns how far they are built. */
  open({ projection: { name }, tables }: ReadModel): Promise<Position> {
    return this.transaction(async (tx) => {
      const { rows } = await tx.query<{ position: string }>(
        `UPDATE replay.progress SET run = $3
         WHERE target = $1 AND projection = $2 AND release = $4 AND replay.has_tables($1, $5) RETURNING position`,
        [this.schema, name, this.run.id, this.run.release, tables],
      );
      const [known] = rows;
      if (known !== undefined) return BigInt(known.position);
      await dropTables(tx, this.schema, name, tables);
      await tx.query('SELECT replay.create_tables($1, $2)', [this.schema, tables]);
      const added = [this.schema, name, this.run.release, this.run.id];
      await tx.query('INSERT INTO replay.progress (target, projection, release, run) VALUES ($1, $2, $3, $4)', added);
      return 0n;
    });
  }

  /** How far this run has built it. Waits for a transaction in progress, such as that of a thread that has just ended. */
  async positionOf(projection: string): Promise<Position> {
    const { rows } = await this.pool.query<{ position: string }>(
      'SELECT position FROM replay.progress WHERE target = $1 AND projection = $2 AND run = $3 FOR UPDATE',
      [this.schema, projection, this.run.id],
    );
    if (rows[0] === undefined) throw new ReplayTakenOver(projection);
    return BigInt(rows[0].position);
  }

  /** Writes rows and moves the position in one transaction. It need not wait for the disk: a crash undoes both. */
  async advance(
    projection: string,
    from: Position,
    to: Position,
    work: (tx: PoolClient) => Promise<void>,
  ): Promise<void> {
    await this.transaction(async (tx) => {
      await tx.query('SET LOCAL synchronous_commit = off');
      const { rowCount } = await tx.query(
        'UPDATE replay.progress SET position = $5 WHERE target = $1 AND projection = $2 AND run = $3 AND position = $4',
        [this.schema, projection, this.run.id, from, to],
      );
      if (rowCount === 0) throw new ReplayTakenOver(projection);
      await work(tx);
    });
  }

  /** Adds the rows of live tables that the log does not have. */
  async keepRows(tables: readonly string[]): Promise<void> {
    for (const table of tables) {
      await this.pool.query(
        `INSERT INTO ${this.schema}.${table} SELECT * FROM read_models.${table} ON CONFLICT DO NOTHING`,
      );
    }
  }

  /** What a table needs after its rows. */
  async indexAndAnalyze(tables: readonly string[]): Promise<void> {
    // As many at a time as the pool has connections.
    await Promise.all(
      tables.map((table) => this.pool.query('SELECT replay.index_tables($1, $2)', [this.schema, [table]])),
    );
    await this.pool.query('SELECT replay.analyze_tables($1, $2)', [this.schema, tables]);
  }

  /** In the transaction that replaces the live tables. */
  async close(projection: string, position: Position, tx: PoolClient): Promise<void> {
    const { rowCount } = await tx.query(
      'DELETE FROM replay.progress WHERE target = $1 AND projection = $2 AND run = $3 AND position = $4',
      [this.schema, projection, this.run.id, position],
    );
    if (rowCount === 0) throw new ReplayTakenOver(projection);
  }

  private transaction<Result>(work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
    return inTransaction(this.pool, work);
  }
}

/** Drops the tables of a read model in the schema of a replay, and returns the names of those that existed. */
export async function dropTables(
  tx: PoolClient,
  schema: string,
  projection: string,
  tables: readonly string[],
): Promise<readonly string[]> {
  await tx.query('DELETE FROM replay.progress WHERE target = $1 AND projection = $2', [schema, projection]);
  const { rows } = await tx.query<{ dropped: string[] }>('SELECT replay.drop_tables($1, $2) AS dropped', [
    schema,
    tables,
  ]);
  return rows[0]!.dropped.map((table) => `${schema}.${table}`);
}

export async function inTransaction<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // A connection that cannot roll back is discarded, and the server rolls back.
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  }
}
