import type { PoolClient } from 'pg';
import type { EndpointRow } from './endpoint-rows';
import { cancelRecovery } from './recovery-rows';
import type { SourceEvent } from './source-events';

/** An event to send to an endpoint, and the event of the log that causes the delivery. */
export interface NewDelivery {
  readonly eventId: string;
  readonly endpoint: EndpointRow;
  readonly cause: Pick<SourceEvent, 'id' | 'recordedAt'>;
  /** False for the delivery that is created together with its event. */
  readonly resent: boolean;
}

/**
 * Deliveries and their queue entries. The same cause leads to the same id, so that a delivery cannot be created twice. An
 * existing delivery is not queued again, because it may have been sent.
 */
const insertText = {
  name: 'insert-webhook-deliveries',
  text: `
    WITH added AS (
      INSERT INTO webhooks.deliveries
        (id, event_id, endpoint_id, company_id, environment, next_attempt_at, created_at, resent)
      SELECT md5(concat_ws(' ', cause, endpoint_id, event_id))::uuid,
        event_id, endpoint_id, company_id, environment, at, at, resent
      FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::boolean[])
        AS new (cause, event_id, endpoint_id, company_id, environment, at, resent)
      ON CONFLICT DO NOTHING
      RETURNING endpoint_id, next_attempt_at, id, event_id
    )
    INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id) SELECT * FROM added
    ON CONFLICT DO NOTHING`,
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
    deliveries.map(({ resent }) => resent),
  ];
  await tx.query({ ...insertText, values });
  await wakeDispatchers(tx);
}

/** Cancels the recovery and the pending deliveries of an endpoint. They can be recovered later. */
export async function cancelDeliveries(endpointId: string, tx: PoolClient): Promise<void> {
  // First, because it waits for a step in progress, whose deliveries the next statement must see.
  await cancelRecovery(endpointId, tx);
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
