import { compactJson, isTimeOrdered, uuidOf, type WebhookEvent } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { copyNewRows } from '../copy-new-rows';
import { storableJson } from '../storable-text';

export interface EventRow {
  readonly event: WebhookEvent;
  readonly objectId: string;
  readonly position: bigint;
}

/** Events with time-ordered ids are stored in the compact form. Existing events stay unchanged. */
export async function insertEvents(rows: readonly EventRow[], tx: PoolClient): Promise<void> {
  const isCompact = ({ event }: EventRow) => isTimeOrdered(event.id);
  await insertCompact(rows.filter(isCompact), tx);
  await insertSingle(
    rows.filter((row) => !isCompact(row)),
    tx,
  );
}

const copyCompact = copyNewRows('webhooks.compact_events', [
  ['company_id', 'uuid'],
  ['id', 'uuid'],
  ['object_id', 'uuid'],
  ['position', 'bigint'],
  ['environment', 'webhooks.environment'],
  ['type', 'webhooks.compact_event_type'],
  ['object_version', 'integer'],
  ['object', 'bytea'],
]);

async function insertCompact(rows: readonly EventRow[], tx: PoolClient): Promise<void> {
  if (rows.length === 0) return;
  const cells = rows.map(({ event, objectId, position }) => [
    ...[event.companyId, uuidOf(event.id), objectId, String(position), event.environment, event.type],
    ...[
      String(event.objectVersion),
      String.raw`\x${compactJson(objectText(event.data.object), objectId).toString('hex')}`,
    ],
  ]);
  await copyCompact(cells, tx);
}

const insertSingleText = {
  name: 'insert-webhook-events',
  text: `
    INSERT INTO webhooks.events
      (id, company_id, environment, type, object_id, object_version, object, created_at, position)
    SELECT * FROM unnest(
      $1::text[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::text[], $8::timestamptz[], $9::bigint[]
    )
    ON CONFLICT DO NOTHING`,
};

async function insertSingle(rows: readonly EventRow[], tx: PoolClient): Promise<void> {
  if (rows.length === 0) return;
  const values = [
    rows.map(({ event }) => event.id),
    rows.map(({ event }) => event.companyId),
    rows.map(({ event }) => event.environment),
    rows.map(({ event }) => event.type),
    rows.map(({ objectId }) => objectId),
    rows.map(({ event }) => event.objectVersion),
    rows.map(({ event }) => objectText(event.data.object)),
    rows.map(({ event }) => event.createdAt),
    rows.map(({ position }) => position),
  ];
  await tx.query({ ...insertSingleText, values });
}

/** Replaces the few characters that Postgres cannot store, as the API does. */
export function objectText(object: object): string {
  const json = JSON.stringify(object);
  return /\\u(0000|d[89a-f])/.test(json) ? storableJson(object) : json;
}

/** Without events that an earlier release has stored with other ids. Only a rebuild can find some. */
export async function withoutEarlierForm(rows: readonly EventRow[], tx: PoolClient): Promise<readonly EventRow[]> {
  if (rows.length === 0) return rows;
  const text = `
    SELECT wanted.nth::integer FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS wanted (object_id, position, nth)
    JOIN webhooks.events e ON e.object_id = wanted.object_id AND e.position = wanted.position`;
  const values = [rows.map(({ objectId }) => objectId), rows.map(({ position }) => position)];
  const { rows: found } = await tx.query<{ nth: number }>({ name: 'stored-webhook-events', text, values });
  const stored = new Set(found.map(({ nth }) => nth - 1));
  return rows.filter((_, index) => !stored.has(index));
}
