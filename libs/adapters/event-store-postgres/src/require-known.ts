import type { KnownStore } from '@florin/event-sourcing';
import type { ClientBase, Pool } from 'pg';

const stateQuery = `SELECT (SELECT id FROM event_store.store_identity) AS id,
  (SELECT coalesce(max(position), 0) FROM event_store.events) AS end`;

/** Rejects with `EventStoreMismatch` if the database was exchanged for another one, or for an older copy. */
export async function requireKnown(known: KnownStore, database: Pick<ClientBase | Pool, 'query'>): Promise<void> {
  if (!known.isExpected) return;
  // Other connections may append meanwhile.
  const { end } = known;
  const { rows } = await database.query<{ id: string | null; end: string }>(stateQuery);
  const found = rows[0]!;
  known.require({ id: found.id, end: BigInt(found.end) }, end);
}

/** The error message for a database that is not the known one. */
export function otherDatabase(difference: string): string {
  return (
    `The database is not the one that this process was started with: ${difference}. ` +
    'Correct DATABASE_URL or restore the newest backup, and restart Florin; see "Event store identity" in docs/OPERATIONS.md.'
  );
}
