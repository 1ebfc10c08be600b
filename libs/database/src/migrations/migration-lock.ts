import type { ClientBase } from 'pg';

/** An arbitrary number that all processes share. */
const MIGRATION_LOCK = 7_305_804_402;

/** Waits until no other process migrates this database or changes its rights. Closing the session releases the lock. */
export async function lockMigrations(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
}
