import { createPool, createPrismaClient, type PrismaClient } from '@florin/database';
import { createTestDatabase } from '@florin/database/testing';
import {
  ReadYourWrites,
  type Position,
  Progress,
  type Projection,
  type RecordedEvent,
  StaleReadModel,
} from '@florin/event-sourcing';
import type { Pool, PoolClient } from 'pg';

/** A database of its own for one suite, with what projections and queries need. */
export interface ReadModelDatabase {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  /** Projects each batch in a transaction of its own. */
  project(projection: Projection<PoolClient>, ...batches: readonly (readonly RecordedEvent[])[]): Promise<void>;
  /** The rows of a read model in the order of their first column. */
  rows(table: string): Promise<readonly Record<string, unknown>[]>;
  empty(...tables: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function readModelDatabase(): Promise<ReadModelDatabase> {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  const prisma = createPrismaClient(database.connection);
  return {
    pool,
    prisma,
    project: (projection, ...batches) => projectEach(pool, projection, batches),
    rows: async (table) => (await pool.query(`SELECT * FROM read_models.${table} ORDER BY 1`)).rows,
    empty: async (...tables) => {
      await pool.query(`TRUNCATE ${tables.map((table) => `read_models.${table}`).join(', ')}`);
    },
    close: async () => {
      await Promise.all([pool.end(), prisma.$disconnect()]);
      await database.drop();
    },
  };
}

async function projectEach(
  pool: Pool,
  { project }: Projection<PoolClient>,
  batches: readonly (readonly RecordedEvent[])[],
): Promise<void> {
  const tx = await pool.connect();
  let failed = true;
  try {
    for (const batch of batches) {
      await tx.query('BEGIN');
      await project(batch, tx);
      await tx.query('COMMIT');
    }
    failed = false;
  } finally {
    // A connection in the midst of a broken transaction is of no use to anybody.
    tx.release(failed);
  }
}

/** The log ends at 12, and this is how far the read model has come. */
export function readYourWritesAt(reached: Position): ReadYourWrites {
  return new ReadYourWrites({
    store: { head: async () => 12n },
    checkpoints: { position: async () => reached },
    progress: new Progress(),
    timeoutMs: 20,
  });
}

export const upToDate = readYourWritesAt(12n);
export const behind = readYourWritesAt(11n);

/** All at once, because a rejection that nobody has waited for in time would fail the test. */
export async function allRejectedAsStale(answers: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(answers.map((answer) => expect(answer).rejects.toBeInstanceOf(StaleReadModel)));
}
