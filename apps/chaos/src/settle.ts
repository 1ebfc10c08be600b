import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '@florin/event-sourcing';
import type { Pool } from 'pg';
import type { Composition } from './environment/composition';

const timeoutMs = 150_000;
const pauseMs = 500;
/** How long no event must have been appended. */
const quietMs = 2_000;

const progressQuery = `
  SELECT
    (SELECT coalesce(json_object_agg(subscription, position), '{}')::text FROM (
      SELECT subscription, min(position) AS position FROM event_store.subscription_shards GROUP BY 1
    ) AS shards) AS positions,
    (SELECT count(*) FROM read_models.operations WHERE status IN ('queued', 'processing'))::int AS unfinished`;

interface LogProgress {
  readonly positions: string;
  readonly unfinished: number;
}

/**
 * Waits until every process is ready, no events are appended, all subscriptions have caught up, and no operation is in
 * progress. Resolves with what is still missing after the timeout.
 */
export async function waitUntilSettled(
  composition: Composition,
  pool: Pool,
  store: Pick<EventStore, 'head'>,
): Promise<readonly string[]> {
  const deadline = Date.now() + timeoutMs;
  let [head, headSince] = [-1n, Date.now()];
  for (;;) {
    const progress = await pool.query<LogProgress>(progressQuery).then(({ rows }) => rows[0]);
    const newest = await store.head();
    if (newest !== head) [head, headSince] = [newest, Date.now()];
    const missing = [
      ...(await composition.problems()),
      ...(progress === undefined ? ['the database returned no row'] : unfinishedIn(progress, head)),
      ...(Date.now() - headSince < quietMs ? ['events are still being appended'] : []),
    ];
    if (missing.length === 0) return [];
    if (Date.now() > deadline) return missing;
    await delay(pauseMs);
  }
}

function unfinishedIn({ positions, unfinished }: LogProgress, head: bigint): string[] {
  const behind = Object.entries(JSON.parse(positions) as Record<string, number>).filter(
    ([, position]) => position < Number(head),
  );
  return [
    ...behind.map(([name, position]) => `${name} has read up to ${position} of ${head}`),
    ...(unfinished > 0 ? [`${unfinished} operations are in progress`] : []),
  ];
}
