import { expandJson } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
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

/** The object of an event. Rows of earlier releases have it in their body only. */
export const storedObject = `coalesce(object, body::json #>> '{data,object}')`;

/** No event follows an event of these types. Their rows are not in the index on objects. */
export const finalTypes = `('operation.completed', 'operation.failed')`;

const newestBefore = {
  name: 'newest-webhook-events-before',
  text: `
    SELECT wanted.object_id AS id, newest.*
    FROM unnest($1::uuid[], $2::bigint[]) AS wanted (object_id, position)
    CROSS JOIN LATERAL (
      (SELECT company_id AS "companyId", environment::text, object_version AS version, NULL AS object, object AS compact, position
       FROM webhooks.compact_events
       WHERE object_id = wanted.object_id AND position < wanted.position AND type NOT IN ${finalTypes}
       ORDER BY position DESC LIMIT 1)
      UNION ALL
      (SELECT company_id, environment, object_version, ${storedObject}, NULL, position FROM webhooks.events
       WHERE object_id = wanted.object_id AND position < wanted.position
       ORDER BY position DESC LIMIT 1)
      ORDER BY position DESC LIMIT 1
    ) AS newest`,
};

const purgedBefore = {
  name: 'purged-webhook-objects-before',
  text: `
    SELECT object_id AS id, company_id AS "companyId", environment, version, object, compact
    FROM unnest($1::uuid[], $2::bigint[]) AS wanted (id, before) JOIN webhooks.objects ON object_id = wanted.id
    WHERE position < wanted.before`,
};

/** The object is stored in one of the two forms. */
type StoredObject = EventOwner & {
  readonly id: string;
  readonly version: number;
  readonly object: string | null;
  readonly compact: Buffer | null;
};

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
  return new Map(rows.map((row) => [row.id, latestObject(row)]));
}

function latestObject({ id, companyId, environment, version, object, compact }: StoredObject): LatestObject {
  const json = compact === null ? object! : expandJson(compact, id);
  return { owner: { companyId, environment }, version, object: JSON.parse(json) as object };
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
