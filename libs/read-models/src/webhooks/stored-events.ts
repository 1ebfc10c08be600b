import {
  type CompactEvent,
  compactEventBody,
  eventCursor,
  eventIdsAt,
  isCompactType,
  isEventId,
  isTimeOrdered,
  uuidOf,
  type WebhookEvent,
} from '@florin/webhooks-domain';
import type { Pool, PoolClient } from 'pg';
import { type Page, pageValues } from '../keyset-page';
import type { EventOwner } from './event-owner';
import type { WebhookEventFilter } from './webhooks.views';

type Owner = { readonly [Name in keyof EventOwner]: string };

const compactColumns = `
  c.id, c.company_id AS "companyId", c.environment, c.type, c.object_id AS "objectId", c.object_version AS "objectVersion", c.object`;

const findSingle = {
  name: 'find-webhook-event',
  text: `
    SELECT webhooks.event_body(e) AS body FROM webhooks.events AS e
    WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

const findCompact = {
  name: 'find-compact-webhook-event',
  text: `
    SELECT ${compactColumns} FROM webhooks.compact_events AS c
    WHERE id = $1 AND company_id = $2 AND environment = $3::webhooks.environment`,
};

/** An event of this owner. */
export async function findEvent(
  { companyId, environment }: Owner,
  id: string,
  connection: Pool | PoolClient,
): Promise<WebhookEvent | undefined> {
  if (!isEventId(id)) return undefined;
  const isCompact = isTimeOrdered(id);
  const values = [isCompact ? uuidOf(id) : id, companyId, environment];
  const query = isCompact ? findCompact : findSingle;
  const { rows } = await connection.query<StoredEvent>({ ...query, values });
  return rows.map(eventView)[0];
}

/**
 * Like `newestFirstSql`, but for ids that are no UUIDs; all of them sort before a tilde. The newest ones of each form, and of
 * these the newest ones: both forms are read in the order of an index.
 */
const listText = (ofType: string, ofCompactType: string) => `
  SELECT listed.* FROM (
    (SELECT e.created_at AS at, e.id AS "publicId", webhooks.event_body(e) AS body, NULL::uuid AS id, NULL::uuid AS "companyId",
       NULL::webhooks.environment AS environment, NULL::webhooks.compact_event_type AS type, NULL::uuid AS "objectId",
       NULL::integer AS "objectVersion", NULL::bytea AS object
     FROM webhooks.events AS e
     WHERE company_id = $1 AND environment = $2 AND ${ofType}
       AND created_at >= coalesce($4::timestamptz, '-infinity')
       AND created_at <= least($5::timestamptz, $6::timestamptz, 'infinity')
       AND (e.created_at, e.id) < (coalesce($6::timestamptz, 'infinity'), coalesce($7::text, '~'))
     ORDER BY e.created_at DESC, e.id DESC LIMIT $8::bigint)
    UNION ALL
    (SELECT webhooks.compact_event_time(c.id), webhooks.compact_event_id(c.id) COLLATE "C", NULL, ${compactColumns}
     FROM webhooks.compact_events AS c
     WHERE company_id = $1 AND environment = $2::text::webhooks.environment AND ${ofCompactType}
       AND c.id >= $9::uuid AND c.id <= $10::uuid AND c.id < $11::uuid
     ORDER BY c.id DESC LIMIT $8::bigint)
  ) AS listed
  WHERE at >= coalesce($4::timestamptz, '-infinity')
  ORDER BY at DESC, "publicId" DESC LIMIT $8::bigint`;

/** A separate statement for one type, so that Postgres uses the indexes on types. */
const list = { name: 'list-webhook-events', text: listText('$3::text IS NULL', '$12::text IS NULL') };
const listOfType = {
  name: 'list-webhook-events-of-type',
  text: listText('type = $3', 'type = $12::text::webhooks.compact_event_type'),
};

/** The newest first. */
export async function listEvents(
  { companyId, environment }: Owner,
  { type, createdFrom, createdTo }: WebhookEventFilter,
  page: Page,
  connection: Pool | PoolClient,
): Promise<readonly WebhookEvent[]> {
  const compactType = type !== undefined && isCompactType(type) ? type : undefined;
  const values = [
    ...[companyId, environment, type, createdFrom, createdTo, ...pageValues(page)],
    eventIdsAt(new Date(createdFrom ?? 0)).lowest,
    createdTo === undefined ? endOfTime : eventIdsAt(new Date(createdTo)).highest,
    page.after === undefined ? endOfTime : eventCursor(new Date(page.after.createdAt), page.after.id),
    compactType,
  ];
  const query = type === undefined ? list : listOfType;
  const { rows } = await connection.query<StoredEvent>({ ...query, values });
  return rows.map(eventView);
}

const endOfTime = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** An event in one of the two forms. */
type StoredEvent = { readonly body: string } | (CompactEvent & { readonly body?: null });

function eventView(stored: StoredEvent): WebhookEvent {
  return JSON.parse(stored.body ?? compactEventBody(stored as CompactEvent)) as WebhookEvent;
}
