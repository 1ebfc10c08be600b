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

/** The object of an event. Rows of earlier releases have it in their body only. */
export const storedObject = `coalesce(object, body::json #>> '{data,object}')`;

const newestBefore = {
  name: 'newest-webhook-events-before',
  text: `
    SELECT wanted.object_id AS id, newest.*
    FROM unnest($1::uuid[], $2::bigint[]) AS wanted (object_id, position)
    CROSS JOIN LATERAL (
      SELECT company_id AS "companyId", environment, object_version AS version, ${storedObject} AS object FROM webhooks.events
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

type StoredObject = EventOwner & { readonly id: string; readonly version: number; readonly object: string };

/**
 * The newest published object before the given position, also if its events were purged. During a rebuild the tables also
 * contain later events, which must not influence earlier ones.
 */
export async function loadLatestObjects(
  positions: ReadonlyMap<string, bigint>,
  tx: PoolClient,
): Promise<LatestObjects> {
  const latest = await readObjects(newestBefore, [...positions], tx);
  const missing = [...positions].filter(([id]) => !latest.has(id));
  for (const [id, object] of await readObjects(purgedBefore, missing, tx)) latest.set(id, object);
  return latest;
}

async function readObjects(
  query: typeof newestBefore,
  positions: readonly (readonly [string, bigint])[],
  tx: PoolClient,
): Promise<LatestObjects> {
  if (positions.length === 0) return new Map();
  const values = [positions.map(([id]) => id), positions.map(([, position]) => position)];
  const { rows } = await tx.query<StoredObject>({ ...query, values });
  return new Map(
    rows.map(({ id, companyId, environment, version, object }) => [
      id,
      { owner: { companyId, environment }, version, object: JSON.parse(object) as object },
    ]),
  );
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
      (id, company_id, environment, type, object_id, object_version, object, created_at, position)
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
    column(({ event }) => objectText(event.data.object)),
    column(({ event }) => event.createdAt),
    column(({ position }) => position),
  ];
  await tx.query({ ...insertText, values });
}

/** Replaces the few characters that Postgres cannot store, as the API does. */
export function objectText(object: object): string {
  const json = JSON.stringify(object);
  return /\\u(0000|d[89a-f])/.test(json) ? storableJson(object) : json;
}
