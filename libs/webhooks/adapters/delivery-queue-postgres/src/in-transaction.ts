import type { Pool, PoolClient } from 'pg';

export async function inTransaction<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const tx = await pool.connect();
  try {
    await tx.query('BEGIN');
    const result = await work(tx);
    await tx.query('COMMIT');
    tx.release();
    return result;
  } catch (error) {
    // Closes the connection, which rolls back.
    tx.release(true);
    throw error;
  }
}
