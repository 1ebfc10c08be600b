import type { WebhookEvent } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { storableJson } from '../storable-text';
import type { EventOwner } from './event-owner';
import type { SourceEvent } from './source-events';

/** An object as of its newest published event. */
export interface LatestObject {
  readonly owner: EventOwner;
  readonly version: number;
  readonly object: object;
}

/** By object id. */
export type LatestObjects = Map<string, LatestObject>;

export interface EventRow {
  readonly event: WebhookEvent;
  readonly objectId: string;
  readonly position: bigint;
}

const newestBefore = {
  name: 'newest-webhook-events-before',
  text: `
    SELECT wanted.object_id AS id, newest.body
    FROM unnest($1::uuid[], $2::bigint[]) AS wanted (object_id, position)
    CROSS JOIN LATERAL (
      SELECT body FROM webhooks.events
      WHERE object_id = wanted.object_id AND position < wanted.position
      ORDER BY position DESC LIMIT 1
    ) AS newest`,
};

const purgedBefore = {
  name: 'purged-webhook-objects-before',
  text: `
    SELECT object_id AS id, company_id AS "companyId", environment, version, object
    FROM unnest($1::uuid[], $2::bigint[]) AS wanted (id, before) JOIN webhooks.objects ON object_id = wanted.id
    WHERE position < wanted.before`,
};

type PurgedObject = EventOwner & { readonly id: string; readonly version: number; readonly object: string };

/**
 * The newest published object before the given position, also if its events were purged. During a rebuild the tables also
 * contain later events, which must not influence earlier ones.
 */
export async function loadLatestObjects(
  positions: ReadonlyMap<string, bigint>,
  tx: PoolClient,
): Promise<LatestObjects> {
  if (positions.size === 0) return new Map();
  const values = [[...positions.keys()], [...positions.values()]];
  const { rows } = await tx.query<{ id: string; body: string }>({ ...newestBefore, values });
  const latest: LatestObjects = new Map(
    rows.map(({ id, body }) => {
      const { companyId, environment, objectVersion: version, data } = JSON.parse(body) as WebhookEvent;
      return [id, { owner: { companyId, environment }, version, object: data.object }];
    }),
  );
  const missing = [...positions].filter(([id]) => !latest.has(id));
  for (const [id, object] of await loadPurgedObjects(missing, tx)) latest.set(id, object);
  return latest;
}

async function loadPurgedObjects(
  positions: readonly (readonly [string, bigint])[],
  tx: PoolClient,
): Promise<readonly (readonly [string, LatestObject])[]> {
  if (positions.length === 0) return [];
  const values = [positions.map(([id]) => id), positions.map(([, position]) => position)];
  const { rows } = await tx.query<PurgedObject>({ ...purgedBefore, values });
  return rows.map(({ id, companyId, environment, version, object }) => [
    id,
    { owner: { companyId, environment }, version, object: JSON.parse(object) as object },
  ]);
}

/** The first position of each object that was published before the batch. */
export function firstPositions(sources: readonly SourceEvent[]): ReadonlyMap<string, bigint> {
  const positions = new Map<string, bigint>();
  const begun = new Set<string>();
  for (const { affected, position } of sources) {
    for (const { id, isFirst } of affected) {
      if (isFirst) begun.add(id);
      else if (!begun.has(id) && !positions.has(id)) positions.set(id, position);
    }
  }
  return positions;
}

const insertText = {
  name: 'insert-webhook-events',
  text: `
    INSERT INTO webhooks.events
      (id, company_id, environment, type, object_id, object_version, body, created_at, position)
    SELECT * FROM unnest(
      $1::text[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::text[], $8::timestamptz[], $9::bigint[]
    )
    ON CONFLICT DO NOTHING`,
};

/** Existing events stay unchanged. */
export async function insertEvents(rows: readonly EventRow[], tx: PoolClient): Promise<void> {
  if (rows.length === 0) return;
  const column = <Cell>(cellOf: (row: EventRow) => Cell): Cell[] => rows.map(cellOf);
  const values = [
    column(({ event }) => event.id),
    column(({ event }) => event.companyId),
    column(({ event }) => event.environment),
    column(({ event }) => event.type),
    column(({ objectId }) => objectId),
    column(({ event }) => event.objectVersion),
    column(({ event }) => bodyOf(event)),
    column(({ event }) => event.createdAt),
    column(({ position }) => position),
  ];
  await tx.query({ ...insertText, values });
}

/** Replaces the few characters that Postgres cannot store, as the API does. */
export function bodyOf(event: WebhookEvent): string {
  const json = JSON.stringify(event);
  return /\\u(0000|d[89a-f])/.test(json) ? storableJson(event) : json;
}
