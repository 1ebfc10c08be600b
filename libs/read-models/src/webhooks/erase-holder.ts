import { type HolderObject, type WebhookEvent, withoutPerson } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { bodyOf } from './event-rows';

/**
 * Removes the personal data of a holder from all published events, and the responses of endpoints, which may contain them.
 * Later deliveries are sent without the data.
 */
export async function eraseHolder(holderId: string, tx: PoolClient): Promise<void> {
  await erasePurged(holderId, tx);
  const read = 'SELECT body FROM webhooks.events WHERE object_id = $1';
  const { rows } = await tx.query<{ body: string }>(read, [holderId]);
  const events = rows.map(({ body }) => withoutName(JSON.parse(body) as WebhookEvent));
  if (events.length === 0) return;
  const ids = events.map(({ id }) => id);
  const rewrite = `
    UPDATE webhooks.events AS e SET body = erased.body
    FROM unnest($1::text[], $2::text[]) AS erased (id, body) WHERE e.id = erased.id`;
  await tx.query(rewrite, [ids, events.map(bodyOf)]);
  const [{ companyId, environment }] = events as [WebhookEvent];
  await tx.query(forgetResponses, [ids, companyId, environment]);
}

async function erasePurged(holderId: string, tx: PoolClient): Promise<void> {
  const read = 'SELECT object FROM webhooks.objects WHERE object_id = $1';
  const { rows } = await tx.query<{ object: string }>(read, [holderId]);
  for (const { object } of rows) {
    const erased = JSON.stringify(withoutPerson(JSON.parse(object) as HolderObject));
    await tx.query('UPDATE webhooks.objects SET object = $2 WHERE object_id = $1', [holderId, erased]);
  }
}

function withoutName(event: WebhookEvent): WebhookEvent {
  return { ...event, data: { object: { ...withoutPerson(event.data.object as unknown as HolderObject) } } };
}

/** Finds deliveries by endpoint: an index on their events would cost more with every delivery than this statement. */
const forgetResponses = `
  UPDATE webhooks.attempts SET excerpt = NULL
  WHERE excerpt IS NOT NULL AND delivery_id IN (
    SELECT d.id FROM webhooks.endpoints AS e JOIN webhooks.deliveries AS d ON d.endpoint_id = e.id
    WHERE e.company_id = $2 AND e.environment = $3 AND d.event_id = ANY($1)
  )`;
