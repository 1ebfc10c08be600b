import type { RecoveryRequested } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import type { EndpointRow } from './endpoint-rows';
import type { SourceEvent } from './source-events';

/** An event to send to an endpoint, and the event of the log that causes the delivery. */
export interface NewDelivery {
  readonly eventId: string;
  readonly endpoint: EndpointRow;
  readonly cause: Pick<SourceEvent, 'id' | 'recordedAt'>;
}

/** The same cause leads to the same id, so that a delivery cannot be created twice. */
const idOf = (cause: string, endpoint: string, event: string) =>
  `md5(concat_ws(' ', ${cause}::text, ${endpoint}::text, ${event}::text))::uuid`;

/** A delivery and its queue entry. An existing delivery is not queued again, because it may have been sent. */
const insertNew = (rows: string) => `
  WITH added AS (
    INSERT INTO webhooks.deliveries
      (id, event_id, endpoint_id, company_id, environment, next_attempt_at, created_at)
    ${rows}
    ON CONFLICT DO NOTHING
    RETURNING endpoint_id, next_attempt_at, id, event_id
  )
  INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id) SELECT * FROM added
  ON CONFLICT DO NOTHING`;

const insertText = {
  name: 'insert-webhook-deliveries',
  text: insertNew(`
    SELECT ${idOf('cause', 'endpoint_id', 'event_id')}, event_id, endpoint_id, company_id, environment, at, at
    FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[])
      AS new (cause, event_id, endpoint_id, company_id, environment, at)`),
};

export async function insertDeliveries(deliveries: readonly NewDelivery[], tx: PoolClient): Promise<void> {
  if (deliveries.length === 0) return;
  const values = [
    deliveries.map(({ cause }) => cause.id),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpoint }) => endpoint.id),
    deliveries.map(({ endpoint }) => endpoint.company_id),
    deliveries.map(({ endpoint }) => endpoint.environment),
    deliveries.map(({ cause }) => cause.recordedAt),
  ];
  await tx.query({ ...insertText, values });
  await wakeDispatchers(tx);
}

/**
 * Excludes events that were acknowledged or are pending. A delivery is never older than its event, except for clock skew,
 * which the day allows for. EXCEPT reads each of both sets once, regardless of the estimates of the planner.
 */
const recoverText = insertNew(`
  SELECT ${idOf('$1', '$2::uuid', 'missed.id')}, missed.id, $2, $4, $5, $3, $3
  FROM (
    SELECT id FROM webhooks.events
    WHERE company_id = $4::uuid AND environment = $5::text AND created_at >= $6 AND position < $7
      AND type <> 'webhook_endpoint.test' AND ($8::text[] IS NULL OR type = ANY($8))
    EXCEPT
    SELECT event_id FROM webhooks.deliveries
    WHERE endpoint_id = $2 AND created_at >= $6::timestamptz - interval '1 day' AND status IN ('pending', 'delivered')
  ) AS missed`);

/** Adds deliveries of all subscribed events since a time that the endpoint has missed. */
export async function recoverDeliveries(
  { since }: RecoveryRequested['data'],
  { id, company_id, environment, events }: EndpointRow,
  source: SourceEvent,
  tx: PoolClient,
): Promise<void> {
  const values = [source.id, id, source.recordedAt, company_id, environment, since, source.position, events];
  await tx.query(recoverText, values);
  await wakeDispatchers(tx);
}

/** Cancels the pending deliveries of an endpoint. They can be recovered later. */
export async function cancelDeliveries(endpointId: string, tx: PoolClient): Promise<void> {
  const text = `
    WITH cancelled AS (DELETE FROM webhooks.due WHERE endpoint_id = $1 RETURNING delivery_id)
    UPDATE webhooks.deliveries SET status = 'cancelled' FROM cancelled WHERE id = delivery_id AND status = 'pending'`;
  await tx.query(text, [endpointId]);
}

/** Otherwise the next failure would disable the endpoint again. */
export async function resetFailures(endpointId: string, tx: PoolClient): Promise<void> {
  await tx.query('UPDATE webhooks.endpoint_health SET failing_since = NULL WHERE endpoint_id = $1', [endpointId]);
}

/** Delivered when the transaction commits. */
async function wakeDispatchers(tx: PoolClient): Promise<void> {
  await tx.query({ name: 'notify-webhook-deliveries', text: `SELECT pg_notify('webhook_deliveries', '')` });
}
