import { deterministicId } from '@florin/kernel';
import { compactEventBody, compactJson, timeOrderedEventId, uuidOf } from '@florin/webhooks-domain';
import type { Pool } from 'pg';

/** Deliveries per endpoint. */
export const perEndpoint = 2_000;

const objectId = deterministicId('operation');
const createdAt = '2030-01-01T00:00:00.000Z';
const object = JSON.stringify({
  ...{ id: objectId, environment: 'sandbox', type: 'issue', status: 'completed', amount: '100.00', fee: '3.20' },
  ...{ total: '103.20', currency: 'USD', productId: 'virtual-usd', holderId: deterministicId('holder') },
  ...{ name: 'Virtual card', result: { cardId: deterministicId('card'), receipt: 'R-4711' } },
  ...{ createdAt, updatedAt: createdAt, cardId: deterministicId('card') },
});

/** The start of the ids of all events. The end is their number. */
const idPrefix = uuidOf(timeOrderedEventId('', 'operation', createdAt))
  .replaceAll('-', '')
  .slice(0, 16);

/** An event of typical size, about 700 bytes. */
export function bodyOf(number: number): string {
  const event = { companyId: deterministicId('company'), environment: 'sandbox', type: 'operation.completed' } as const;
  const id = uuidOf(`evt_${idPrefix}${number.toString(16).padStart(16, '0')}`);
  return compactEventBody({ ...event, id, objectId, objectVersion: 3, object: compactJson(object, objectId) });
}

/** Refills the queue as the projection would: one endpoint per address, with its deliveries. */
export async function fillQueue(pool: Pool, urls: readonly string[]): Promise<void> {
  await pool.query(`TRUNCATE webhooks.deliveries, webhooks.due, webhooks.attempts, webhooks.compact_events,
                             webhooks.endpoints, webhooks.endpoint_health, webhooks.endpoint_claims,
                             vault.webhook_secrets`);
  await pool.query(
    `WITH added AS (SELECT gen_random_uuid() AS id, gen_random_uuid() AS secret_id, url FROM unnest($1::text[]) AS url),
          secrets AS (INSERT INTO vault.webhook_secrets (secret_id, endpoint_id, secret)
                      SELECT secret_id, id, 'whsec_' || repeat('x', 43) FROM added)
     INSERT INTO webhooks.endpoints
       (id, account_id, company_id, environment, url, status, secrets, created_at, deleted, revision)
     SELECT id, 'bench-sandbox', gen_random_uuid(), 'sandbox', url, 'enabled',
            jsonb_build_array(jsonb_build_object('id', secret_id)), now(), false, 0 FROM added`,
    [urls],
  );
  await pool.query(
    `INSERT INTO webhooks.compact_events
       (company_id, id, object_id, position, environment, type, object_version, object)
     SELECT e.company_id, ($2 || lpad(to_hex(nth * $1 - $1 + n), 16, '0'))::uuid, $3, nth * $1 - $1 + n, 'sandbox',
            'operation.completed', 3, $4
     FROM (SELECT *, row_number() OVER (ORDER BY id) AS nth FROM webhooks.endpoints) e, generate_series(1, $1::bigint) AS n`,
    [perEndpoint, idPrefix, objectId, compactJson(object, objectId)],
  );
  await pool.query(
    `WITH added AS (
     INSERT INTO webhooks.deliveries (id, event_id, endpoint_id, company_id, environment, next_attempt_at, created_at)
     SELECT gen_random_uuid(), webhooks.compact_event_id(c.id), e.id, e.company_id, 'sandbox',
            now() - make_interval(secs => ($1 - position % $1) / 1000.0), now()
     FROM webhooks.compact_events c JOIN webhooks.endpoints e USING (company_id)
     RETURNING *)
     INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id)
     SELECT endpoint_id, next_attempt_at, id, event_id FROM added`,
    [perEndpoint],
  );
  await pool.query('VACUUM ANALYZE webhooks.deliveries, webhooks.due, webhooks.compact_events, webhooks.attempts');
}
