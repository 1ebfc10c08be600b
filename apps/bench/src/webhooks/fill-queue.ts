import type { Pool } from 'pg';

/** Deliveries per endpoint. */
export const perEndpoint = 2_000;

/** An event of typical size, about 600 bytes. */
export function bodyOf(eventId: string): string {
  const ids = { operationId: eventId.slice(4), cardId: eventId.slice(8), companyId: eventId.slice(12) };
  const amounts = { amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD' };
  const object = { ...ids, type: 'issue', status: 'completed', ...amounts, result: { receipt: 'r'.repeat(200) } };
  const createdAt = '2030-01-01T00:00:00.000Z';
  return JSON.stringify({ id: eventId, type: 'operation.completed', createdAt, objectVersion: 3, data: { object } });
}

/** Refills the queue as the projection would: one endpoint per address, with its deliveries. */
export async function fillQueue(pool: Pool, urls: readonly string[]): Promise<void> {
  await pool.query(`TRUNCATE webhooks.deliveries, webhooks.due, webhooks.attempts, webhooks.events,
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
    `INSERT INTO webhooks.events (id, company_id, environment, type, object_id, object_version, body, created_at, position)
     SELECT 'evt_' || lpad(n::text, 32, '0'), gen_random_uuid(), 'sandbox', 'operation.completed', gen_random_uuid(), 3,
            replace($2, 'evt_', 'evt_' || lpad(n::text, 32, '0')), now(), n FROM generate_series(1, $1::integer) AS n`,
    [urls.length * perEndpoint, bodyOf('evt_')],
  );
  await pool.query(
    `WITH added AS (
     INSERT INTO webhooks.deliveries (id, event_id, endpoint_id, company_id, environment, next_attempt_at, created_at)
     SELECT gen_random_uuid(), 'evt_' || lpad((nth * $1 - $1 + n)::text, 32, '0'), e.id, e.company_id, 'sandbox',
            now() - make_interval(secs => ($1 - n) / 1000.0), now()
     FROM (SELECT *, row_number() OVER () AS nth FROM webhooks.endpoints) e, generate_series(1, $1::integer) AS n
     RETURNING *)
     INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id)
     SELECT endpoint_id, next_attempt_at, id, event_id FROM added`,
    [perEndpoint],
  );
  await pool.query('VACUUM ANALYZE webhooks.deliveries, webhooks.due, webhooks.events, webhooks.attempts');
}
