import { type HolderObject, type WebhookEvent, withoutPerson } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { bodyOf } from './event-rows';

/**
 * Takes a holder's name and address out of everything that was latest of the holder, and with them what receivers answered,
 * because they may have repeated it. From then on it is sent without them.
 */
export async function eraseHolder(holderId: string, tx: PoolClient): Promise<void> {
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

function withoutName(event: WebhookEvent): WebhookEvent {
  return { ...event, data: { object: { ...withoutPerson(event.data.object as unknown as HolderObject) } } };
}

/** Deliveries are found by their endpoint: an index of their events would cost more with each of them than this does. */
const forgetResponses = `
  UPDATE webhooks.attempts SET excerpt = NULL
  WHERE excerpt IS NOT NULL AND delivery_id IN (
    SELECT d.id FROM webhooks.endpoints AS e JOIN webhooks.deliveries AS d ON d.endpoint_id = e.id
    WHERE e.company_id = $2 AND e.environment = $3 AND d.event_id = ANY($1)
  )`;
