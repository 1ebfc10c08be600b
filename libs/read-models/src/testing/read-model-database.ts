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
import { ReadDatabase } from '../read-database';

/** A separate database for one suite. */
export interface ReadModelDatabase {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  readonly reads: ReadDatabase;
  /** Projects each batch in a separate transaction. */
  project(projection: Projection<PoolClient>, ...batches: readonly (readonly RecordedEvent[])[]): Promise<void>;
  /** The rows of a read model, sorted by the first column. */
  rows(table: string): Promise<readonly Record<string, unknown>[]>;
  empty(...tables: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function readModelDatabase(): Promise<ReadModelDatabase> {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  const prisma = createPrismaClient(database.connection);
  const reads = new ReadDatabase(database.connection);
  return {
    pool,
    prisma,
    reads,
    project: (projection, ...batches) => projectEach(pool, projection, batches),
    rows: async (table) => (await pool.query(`SELECT * FROM read_models.${table} ORDER BY 1`)).rows,
    empty: async (...tables) => {
      await pool.query(`TRUNCATE ${tables.map((table) => `read_models.${table}`).join(', ')}`);
    },
    close: async () => {
      await Promise.all([pool.end(), prisma.$disconnect(), reads.close()]);
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
    // Discards the connection, because its transaction is broken.
    tx.release(failed);
  }
}

/** The position of the read model; the log ends at 12. */
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

/** Concurrently, because a rejection without a handler would fail the test. */
export async function allRejectedAsStale(results: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(results.map((result) => expect(result).rejects.toBeInstanceOf(StaleReadModel)));
}
