import { maxSigningSecrets } from '@florin/webhooks-domain';

/**
 * The endpoints with waiting deliveries, each with its earliest due time. A loose index scan: one step per endpoint, however
 * long its backlog. $1 the endpoint to start after, $2 the limit.
 */
export const waitingEndpoints = `
  WITH RECURSIVE waiting AS (
    (SELECT endpoint_id, next_attempt_at FROM webhooks.due WHERE endpoint_id > $1
     ORDER BY endpoint_id, next_attempt_at LIMIT 1)
    UNION ALL
    SELECT next.* FROM waiting CROSS JOIN LATERAL (
      SELECT d.endpoint_id, d.next_attempt_at FROM webhooks.due d WHERE d.endpoint_id > waiting.endpoint_id
      ORDER BY d.endpoint_id, d.next_attempt_at LIMIT 1
    ) next
  )
  SELECT endpoint_id AS id, next_attempt_at AS "dueAt", claimed_until AS "claimedUntil"
  FROM (SELECT * FROM waiting LIMIT $2) seen LEFT JOIN webhooks.endpoint_claims USING (endpoint_id)
  ORDER BY endpoint_id`;

/** $1 endpoints ordered by id, which prevents deadlocks between replicas; $2 the claim, $3 its end, $4 now. */
export const claimEndpoints = `
  INSERT INTO webhooks.endpoint_claims AS c (endpoint_id, claimed_by, claimed_until)
  SELECT id, $2, $3 FROM unnest($1::uuid[]) AS id
  ON CONFLICT (endpoint_id) DO UPDATE SET claimed_by = EXCLUDED.claimed_by, claimed_until = EXCLUDED.claimed_until
    WHERE c.claimed_until IS NULL OR c.claimed_until <= $4
  RETURNING endpoint_id AS id`;

/** $1 endpoints, $2 their claims. Locked in the same order as above. */
export const releaseEndpoints = `
  WITH claimed AS (
    SELECT c.endpoint_id FROM webhooks.endpoint_claims c
    JOIN unnest($1::uuid[], $2::uuid[]) AS given (id, claim) ON c.endpoint_id = given.id AND c.claimed_by = given.claim
    ORDER BY c.endpoint_id FOR UPDATE OF c
  )
  UPDATE webhooks.endpoint_claims c SET claimed_by = NULL, claimed_until = NULL
  FROM claimed WHERE c.endpoint_id = claimed.endpoint_id`;

/**
 * The due deliveries of claimed endpoints. It must start after the claim is committed, to see what other replicas stored
 * before. $1 endpoints, $2 limits, $3 and $4 the queue positions to start after, $5 now. The time of a position is a
 * number, because the driver parses numbers much faster than dates.
 */
export const readDue = `
  SELECT wanted.nth::integer, d.delivery_id AS "deliveryId", d.event_id AS "eventId", d.attempts,
    round(date_part('epoch', d.next_attempt_at) * 1000) AS "dueAtMs", event.*
  FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::uuid[])
    WITH ORDINALITY AS wanted (endpoint_id, capacity, after_time, after_id, nth)
  JOIN webhooks.endpoints p ON p.id = wanted.endpoint_id
  CROSS JOIN LATERAL (
    SELECT delivery_id, event_id, attempts, next_attempt_at FROM webhooks.due
    WHERE endpoint_id = wanted.endpoint_id AND next_attempt_at <= $5
      AND (next_attempt_at, delivery_id) > (wanted.after_time, wanted.after_id)
    ORDER BY next_attempt_at, delivery_id LIMIT wanted.capacity
  ) d
  CROSS JOIN LATERAL (
    SELECT e.position, webhooks.event_body(e) AS body, NULL::uuid AS id, NULL::uuid AS "companyId",
      NULL::webhooks.environment AS environment, NULL::webhooks.compact_event_type AS type, NULL::uuid AS "objectId",
      NULL::integer AS "objectVersion", NULL::bytea AS object
    FROM webhooks.events e WHERE e.id = d.event_id
    UNION ALL
    SELECT c.position, NULL, c.id, c.company_id, c.environment, c.type, c.object_id, c.object_version, c.object
    FROM webhooks.compact_events c
    WHERE c.company_id = p.company_id AND c.environment = p.environment::webhooks.environment
      AND c.id = substr(d.event_id, 5)::uuid
  ) event
  ORDER BY wanted.nth, d.next_attempt_at, event.position`;

/** $1 endpoints, $2 now. Rows of earlier releases may list more secrets than sign. */
export const targets = `
  SELECT id, account_id AS "accountId", environment, url, revision, array(
    SELECT json_build_object('id', secret_id, 'secret', known.secret, 'wrapped', encode(wrapped, 'hex'), 'wrappedBy', wrapped_by)
    FROM jsonb_to_recordset(p.secrets) AS signing (id uuid, until timestamptz)
    JOIN vault.webhook_secrets known ON known.secret_id = signing.id
    WHERE signing.until IS NULL OR signing.until > $2
    ORDER BY signing.until DESC NULLS FIRST LIMIT ${maxSigningSecrets}
  ) AS secrets
  FROM webhooks.endpoints p WHERE id = ANY ($1) AND NOT deleted AND status = 'enabled'`;
