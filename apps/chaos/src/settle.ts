import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Composition } from './world/composition';

const timeoutMs = 150_000;
const pauseMs = 500;
/** So long must nothing more have happened. */
const quietMs = 2_000;

const whereTheyStand = `
  SELECT
    (SELECT coalesce(max(position), 0) FROM event_store.events)::text AS head,
    (SELECT coalesce(json_object_agg(subscription, position), '{}')::text FROM (
      SELECT subscription, min(position) AS position FROM event_store.subscription_shards GROUP BY 1
    ) AS shards) AS positions,
    (SELECT count(*) FROM read_models.operations WHERE status IN ('queued', 'processing'))::int AS unfinished`;

interface Standing {
  readonly head: string;
  readonly positions: string;
  readonly unfinished: number;
}

/**
 * Waits until the system has come to rest: everything is ready, nothing is appended any more, whoever follows the log has
 * read all of it, and no operation is under way. Answers what was still missing when the time was over.
 */
export async function untilSettled(composition: Composition, pool: Pool): Promise<readonly string[]> {
  const deadline = Date.now() + timeoutMs;
  let [head, headSince] = ['', Date.now()];
  for (;;) {
    const standing = await pool.query<Standing>(whereTheyStand).then(({ rows }) => rows[0]);
    if (standing !== undefined && standing.head !== head) [head, headSince] = [standing.head, Date.now()];
    const missing = [
      ...(await composition.problems()),
      ...(standing === undefined ? ['the database does not answer'] : unfinishedIn(standing)),
      ...(Date.now() - headSince < quietMs ? ['events are still being appended'] : []),
    ];
    if (missing.length === 0) return [];
    if (Date.now() > deadline) return missing;
    await delay(pauseMs);
  }
}

function unfinishedIn({ head, positions, unfinished }: Standing): string[] {
  const behind = Object.entries(JSON.parse(positions) as Record<string, number>).filter(
    ([, position]) => position < Number(head),
  );
  return [
    ...behind.map(([name, position]) => `${name} has read up to ${position} of ${head}`),
    ...(unfinished > 0 ? [`${unfinished} operations are under way`] : []),
  ];
}
