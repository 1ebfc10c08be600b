/**
 * The endpoints that have anything pending, one after the other along the index: a backlog of any length is one step.
 * $1 the endpoint after which to begin, $2 how many.
 */
export const waitingEndpoints = `
  WITH RECURSIVE waiting AS (
    (SELECT endpoint_id FROM webhooks.deliveries WHERE status = 'pending' AND endpoint_id > $1 ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM webhooks.deliveries d
            WHERE d.status = 'pending' AND d.endpoint_id > waiting.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
    FROM waiting WHERE waiting.endpoint_id IS NOT NULL
  )
  SELECT endpoint_id AS id FROM waiting WHERE endpoint_id IS NOT NULL LIMIT $2`;

/** $1 endpoints, $2 how many of each, $3 now, $4 how many in all, $5 until when, $6 the claim. */
export const claimDue = `
  WITH due AS MATERIALIZED (
    SELECT d.id, wanted.nth FROM unnest($1::uuid[], $2::integer[]) WITH ORDINALITY AS wanted (endpoint_id, room, nth)
    CROSS JOIN LATERAL (
      SELECT id FROM webhooks.deliveries
      WHERE endpoint_id = wanted.endpoint_id AND status = 'pending' AND next_attempt_at <= $3
        AND (claimed_until IS NULL OR claimed_until <= $3)
      ORDER BY next_attempt_at LIMIT wanted.room FOR UPDATE SKIP LOCKED
    ) d
    LIMIT $4
  ), claimed AS (
    UPDATE webhooks.deliveries d SET claimed_until = $5, claimed_by = $6 FROM due WHERE d.id = due.id
    RETURNING d.id, d.event_id, d.endpoint_id, d.attempts, d.created_at, due.nth
  )
  SELECT claimed.id, claimed.event_id, claimed.endpoint_id, claimed.attempts, e.body
  FROM claimed JOIN webhooks.events e ON e.id = claimed.event_id
  ORDER BY claimed.nth, claimed.created_at, e.position`;

/** $1 endpoints, $2 now. */
export const receivers = `
  SELECT id, account_id, environment, url, array(
    SELECT known.secret FROM jsonb_to_recordset(p.secrets) AS signing (id uuid, until timestamptz)
    JOIN vault.webhook_secrets known ON known.secret_id = signing.id
    WHERE signing.until IS NULL OR signing.until > $2
    ORDER BY signing.until DESC NULLS FIRST
  ) AS secrets
  FROM webhooks.endpoints p WHERE id = ANY ($1) AND NOT deleted`;

/**
 * $1 to $10 are columns of the attempts. The one that was acknowledged is logged by the delivery itself, since most
 * need no other. What was cancelled meanwhile stays so, unless it was acknowledged. Health is
 * written only when it changes, and in one order, so that no two replicas wait for each other.
 */
export const settleAttempts = `
  WITH ended AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::integer[],
                         $7::integer[], $8::text[], $9::text[], $10::text[])
      AS ended (id, claim, status, next_attempt_at, at, duration_ms, status_code, outcome, error, excerpt)
  ), settled AS (
    UPDATE webhooks.deliveries d SET
      status = CASE WHEN ended.status = 'delivered' OR d.status = 'pending' THEN ended.status ELSE d.status END,
      attempts = d.attempts + 1,
      next_attempt_at = coalesce(ended.next_attempt_at, d.next_attempt_at),
      claimed_until = NULL, claimed_by = NULL,
      first_attempt_at = coalesce(d.first_attempt_at, ended.at), last_attempt_at = ended.at,
      last_status_code = ended.status_code, last_duration_ms = ended.duration_ms, last_error = ended.error
    FROM ended
    WHERE d.id = ended.id AND d.status <> 'delivered' AND (d.claimed_by = ended.claim OR ended.status = 'delivered')
    RETURNING d.id, d.endpoint_id, d.attempts AS number, ended.at, ended.duration_ms, ended.status_code, ended.outcome,
      ended.error, ended.excerpt
  ), logged AS (
    INSERT INTO webhooks.attempts (delivery_id, number, at, duration_ms, status_code, outcome, error, excerpt)
    SELECT id, number, at, duration_ms, status_code, outcome, error, excerpt FROM settled WHERE outcome <> 'acknowledged'
  ), news AS (
    SELECT endpoint_id, min(at) AS first_at, max(at) FILTER (WHERE outcome = 'acknowledged') AS success_at
    FROM settled GROUP BY endpoint_id
  ), known AS (
    INSERT INTO webhooks.endpoint_health AS h (endpoint_id, failing_since, last_success_at)
    SELECT endpoint_id, CASE WHEN success_at IS NULL THEN first_at END, success_at FROM news ORDER BY endpoint_id
    ON CONFLICT (endpoint_id) DO UPDATE
      SET failing_since = CASE WHEN EXCLUDED.last_success_at IS NULL THEN EXCLUDED.failing_since END,
          last_success_at = coalesce(EXCLUDED.last_success_at, h.last_success_at)
      WHERE (h.failing_since IS NULL) = (EXCLUDED.last_success_at IS NULL)
         OR EXCLUDED.last_success_at > coalesce(h.last_success_at, '-infinity') + interval '1 second'
  )
  SELECT h.endpoint_id, h.failing_since FROM news JOIN webhooks.endpoint_health h USING (endpoint_id)
  WHERE news.success_at IS NULL AND h.failing_since IS NOT NULL`;
