import type { EventStore } from '@florin/event-sourcing';
import type { Pool } from 'pg';

/** Replaces packed contents by their texts, as earlier releases stored them, so that a test can change a part with SQL. */
export async function storeAsTexts(pool: Pool, store: Pick<EventStore, 'readAll'>): Promise<void> {
  const { events } = await store.readAll({ after: 0n, pageSize: 10_000 });
  await pool.query('ALTER TABLE event_store.events DISABLE TRIGGER ALL');
  await pool.query(
    `UPDATE event_store.events AS e SET data = texts.data, metadata = texts.metadata, packed = NULL
     FROM unnest($1::bigint[], $2::text[], $3::text[]) AS texts (position, data, metadata)
     WHERE e.position = texts.position`,
    [events.map(({ position }) => position), events.map(({ data }) => data), events.map(({ metadata }) => metadata)],
  );
}
