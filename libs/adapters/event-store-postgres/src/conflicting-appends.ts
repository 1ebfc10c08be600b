import type { Pool } from 'pg';
import type { PendingAppend } from './pending-append';

export interface ClassifiedAppend {
  readonly append: PendingAppend;
  /** `stored`: the same events exist already. `clear`: the stream has the expected revision. */
  readonly outcome: 'stored' | 'conflict' | 'clear';
  /** The stream's current revision. */
  readonly revision: number;
}

const inspection = {
  name: 'inspect-appends',
  text: `SELECT coalesce(greatest(
      (SELECT max(e.revision) FROM event_store.events AS e WHERE e.stream = wanted.stream),
      (SELECT max(a.last_revision) FROM event_store.archived_streams AS a WHERE a.stream = wanted.stream)
    ), -1),
    ARRAY(
      SELECT e.id::text FROM event_store.events AS e
      WHERE e.stream = wanted.stream AND e.revision > wanted.expected AND e.revision <= wanted.expected + wanted.count
      ORDER BY e.revision
    )
    FROM unnest($1::text[], $2::integer[], $3::integer[]) WITH ORDINALITY AS wanted(stream, expected, count, ordinality)
    ORDER BY wanted.ordinality`,
  rowMode: 'array' as const,
};

/**
 * Classifies the appends of a failed batch: already stored, in conflict, or free to be retried. Repeating an append that was archived
 * meanwhile is a conflict: after a reload, the command is recognized as a repeat.
 */
export async function classifyAppends(pool: Pool, appends: readonly PendingAppend[]): Promise<ClassifiedAppend[]> {
  const { rows } = await pool.query<[number, string[]]>({
    ...inspection,
    values: [
      appends.map((append) => append.stream),
      appends.map((append) => append.expectedRevision),
      appends.map((append) => append.events.length),
    ],
  });
  return appends.map((append, index) => {
    const [revision, ids] = rows[index]!;
    return { append, outcome: outcomeOf(append, revision, ids), revision };
  });
}

function outcomeOf(
  { events, expectedRevision }: PendingAppend,
  revision: number,
  ids: string[],
): ClassifiedAppend['outcome'] {
  if (events.every((event, index) => event.id === ids[index])) return 'stored';
  return revision === expectedRevision ? 'clear' : 'conflict';
}
