import type { RecoveryRequested } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import type { EndpointRow } from './endpoint-rows';
import type { SourceEvent } from './source-events';

/** An event that is to be sent to an endpoint, and the event of the log that is the occasion. */
export interface NewDelivery {
  readonly eventId: string;
  readonly endpoint: EndpointRow;
  readonly occasion: Pick<SourceEvent, 'id' | 'recordedAt'>;
}

/** The same occasion makes the same delivery, so that it cannot be made twice. */
const idOf = (occasion: string, endpoint: string, event: string) =>
  `md5(concat_ws(' ', ${occasion}::text, ${endpoint}::text, ${event}::text))::uuid`;

/** A delivery and its place in the queue. One that was made before gets no place again: it may have been sent. */
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
    SELECT ${idOf('occasion', 'endpoint_id', 'event_id')}, event_id, endpoint_id, company_id, environment, at, at
    FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[])
      AS new (occasion, event_id, endpoint_id, company_id, environment, at)`),
};

export async function insertDeliveries(deliveries: readonly NewDelivery[], tx: PoolClient): Promise<void> {
  if (deliveries.length === 0) return;
  const values = [
    deliveries.map(({ occasion }) => occasion.id),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpoint }) => endpoint.id),
    deliveries.map(({ endpoint }) => endpoint.company_id),
    deliveries.map(({ endpoint }) => endpoint.environment),
    deliveries.map(({ occasion }) => occasion.recordedAt),
  ];
  await tx.query({ ...insertText, values });
  await wakeDispatchers(tx);
}

/**
 * Nobody missed what was acknowledged, or what is on its way. A delivery is never older than its event, but for the
 * clocks of those who recorded them: the day leaves room for those. The difference of two sets is found in one pass
 * through each of them, whatever the planner believes about their sizes.
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

/** Sends everything that the endpoint wants and has missed since a time. */
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

/** The endpoint gets nothing more. What it has missed can be recovered later. */
export async function cancelDeliveries(endpointId: string, tx: PoolClient): Promise<void> {
  const text = `
    WITH gone AS (DELETE FROM webhooks.due WHERE endpoint_id = $1 RETURNING delivery_id)
    UPDATE webhooks.deliveries SET status = 'cancelled' FROM gone WHERE id = delivery_id AND status = 'pending'`;
  await tx.query(text, [endpointId]);
}

/** Its past failures do not count any more: it would be disabled again by the next one. */
export async function forgetFailures(endpointId: string, tx: PoolClient): Promise<void> {
  await tx.query('UPDATE webhooks.endpoint_health SET failing_since = NULL WHERE endpoint_id = $1', [endpointId]);
}

/** Heard once the transaction is committed. */
async function wakeDispatchers(tx: PoolClient): Promise<void> {
  await tx.query({ name: 'notify-webhook-deliveries', text: `SELECT pg_notify('webhook_deliveries', '')` });
}
