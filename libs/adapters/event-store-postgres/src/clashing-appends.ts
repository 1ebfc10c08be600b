import type { Pool } from 'pg';
import type { PendingAppend } from './pending-append';

export interface Judgement {
  readonly append: PendingAppend;
  /** `stored`: its very events are there already. `clear`: the stream stands where it was expected to stand. */
  readonly verdict: 'stored' | 'conflict' | 'clear';
  /** Where the stream really stands. */
  readonly revision: number;
}

const inspection = {
  name: 'inspect-appends',
  text: `SELECT coalesce((SELECT max(e.revision) FROM event_store.events AS e WHERE e.stream = wanted.stream), -1),
    ARRAY(
      SELECT e.id::text FROM event_store.events AS e
      WHERE e.stream = wanted.stream AND e.revision > wanted.expected AND e.revision <= wanted.expected + wanted.count
      ORDER BY e.revision
    )
    FROM unnest($1::text[], $2::integer[], $3::integer[]) WITH ORDINALITY AS wanted(stream, expected, count, ordinality)
    ORDER BY wanted.ordinality`,
  rowMode: 'array' as const,
};

/** Finds out which appends of a batch cannot be stored as they are, and which of those need not be. */
export async function judgeAppends(pool: Pool, appends: readonly PendingAppend[]): Promise<Judgement[]> {
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
    return { append, verdict: verdictOn(append, revision, ids), revision };
  });
}

function verdictOn({ events, expectedRevision }: PendingAppend, revision: number, ids: string[]): Judgement['verdict'] {
  if (events.every((event, index) => event.id === ids[index])) return 'stored';
  return revision === expectedRevision ? 'clear' : 'conflict';
}
