import type { Snapshot } from '@florin/event-sourcing';
import type { Pool } from 'pg';

/** All snapshots, or that of one stream, one at a time: a state can have megabytes. */
export async function* storedSnapshots(pool: Pool, only?: string): AsyncGenerator<Snapshot> {
  for (let after = ''; ;) {
    const { rows } = await pool.query<Snapshot>(
      `SELECT stream, revision, hash, version, state, digest FROM event_store.snapshots
       WHERE stream > $1 AND ($2::text IS NULL OR stream = $2) ORDER BY stream LIMIT 1`,
      [after, only],
    );
    const [snapshot] = rows;
    if (snapshot === undefined) return;
    yield snapshot;
    after = snapshot.stream;
  }
}
