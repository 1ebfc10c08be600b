import { type HolderObject, withoutPerson } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import type { EventOwner } from './event-owner';
import { objectText } from './event-rows';
import { storedObject } from './latest-objects';

/**
 * Removes the personal data of a holder from all published events, and the responses of endpoints, which may contain them.
 * Later deliveries are sent without the data.
 */
export async function eraseHolder(holderId: string, tx: PoolClient): Promise<void> {
  await erasePurged(holderId, tx);
  const read = `
    SELECT id, company_id AS "companyId", environment, ${storedObject} AS object FROM webhooks.events WHERE object_id = $1`;
  const { rows } = await tx.query<StoredEvent>(read, [holderId]);
  const [event] = rows;
  if (event === undefined) return;
  const ids = rows.map(({ id }) => id);
  const rewrite = `
    UPDATE webhooks.events AS e SET body = NULL, object = erased.object
    FROM unnest($1::text[], $2::text[]) AS erased (id, object) WHERE e.id = erased.id`;
  await tx.query(rewrite, [ids, rows.map(({ object }) => erased(object))]);
  await tx.query(forgetResponses, [ids, event.companyId, event.environment]);
}

interface StoredEvent extends EventOwner {
  readonly id: string;
  readonly object: string;
}

async function erasePurged(holderId: string, tx: PoolClient): Promise<void> {
  const read = 'SELECT object FROM webhooks.objects WHERE object_id = $1';
  const { rows } = await tx.query<{ object: string }>(read, [holderId]);
  for (const { object } of rows) {
    await tx.query('UPDATE webhooks.objects SET object = $2 WHERE object_id = $1', [holderId, erased(object)]);
  }
}

function erased(object: string): string {
  return objectText(withoutPerson(JSON.parse(object) as HolderObject));
}

/** Finds deliveries by endpoint: an index on their events would cost more with every delivery than this statement. */
const forgetResponses = `
  UPDATE webhooks.attempts SET excerpt = NULL
  WHERE excerpt IS NOT NULL AND delivery_id IN (
    SELECT d.id FROM webhooks.endpoints AS e JOIN webhooks.deliveries AS d ON d.endpoint_id = e.id
    WHERE e.company_id = $2 AND e.environment = $3 AND d.event_id = ANY($1)
  )`;
