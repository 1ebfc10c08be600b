/**
 * $1 to $4 are columns of acknowledged attempts. The delivery row itself logs such an attempt, because most deliveries need
 * only one. The status becomes `delivered` even if the claim was lost. Health is written only when it changes, ordered by
 * endpoint, which prevents deadlocks between replicas.
 */
export const storeAcknowledged = `
  WITH ended AS (
    SELECT id, to_timestamp(at_ms / 1000) AS at, duration_ms, status_code
    FROM unnest($1::uuid[], $2::float8[], $3::integer[], $4::integer[]) AS ended (id, at_ms, duration_ms, status_code)
  ), recorded AS (
    UPDATE webhooks.deliveries d SET status = 'delivered', attempts = d.attempts + 1, last_attempt_at = ended.at,
      last_status_code = ended.status_code, last_duration_ms = ended.duration_ms, last_error = NULL
    FROM ended WHERE d.id = ended.id AND d.status <> 'delivered'
    RETURNING d.id, d.endpoint_id, d.next_attempt_at, ended.at
  ), done AS (
    DELETE FROM webhooks.due USING recorded r
    WHERE due.endpoint_id = r.endpoint_id AND due.next_attempt_at = r.next_attempt_at AND due.delivery_id = r.id
  )
  INSERT INTO webhooks.endpoint_health AS h (endpoint_id, last_success_at)
  SELECT endpoint_id, max(at) FROM recorded GROUP BY endpoint_id ORDER BY endpoint_id
  ON CONFLICT (endpoint_id) DO UPDATE SET failing_since = NULL, last_success_at = EXCLUDED.last_success_at
    WHERE h.failing_since IS NOT NULL
       OR EXCLUDED.last_success_at > coalesce(h.last_success_at, '-infinity') + interval '1 second'`;

/**
 * $1 to $11 are columns of attempts that were not acknowledged, $12 the endpoints that acknowledged another attempt in the
 * same batch. Only the replica with the claim stores results, and only if the number of attempts is unchanged, so that no
 * attempt is scheduled twice. A cancelled delivery stays cancelled.
 */
export const storeUnacknowledged = `
  WITH ended AS (
    SELECT ended.*, d.endpoint_id, d.next_attempt_at AS was_due_at
    FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::integer[],
                $8::integer[], $9::text[], $10::text[], $11::text[])
      AS ended (id, claim, attempts, status, next_attempt_at, at, duration_ms, status_code, outcome, error, excerpt)
    JOIN webhooks.deliveries d USING (id)
    JOIN webhooks.endpoint_claims c ON c.endpoint_id = d.endpoint_id AND c.claimed_by = ended.claim
  ), recorded AS (
    UPDATE webhooks.deliveries d SET
      status = CASE WHEN d.status = 'pending' THEN ended.status ELSE d.status END,
      attempts = d.attempts + 1,
      next_attempt_at = coalesce(ended.next_attempt_at, d.next_attempt_at),
      last_attempt_at = ended.at, last_status_code = ended.status_code, last_duration_ms = ended.duration_ms,
      last_error = ended.error
    FROM ended WHERE d.id = ended.id AND d.status <> 'delivered' AND d.attempts = ended.attempts
    RETURNING d.id, d.endpoint_id, d.status, d.attempts AS number, d.next_attempt_at, ended.was_due_at, ended.at,
      ended.duration_ms, ended.status_code, ended.outcome, ended.error, ended.excerpt
  ), moved AS (
    UPDATE webhooks.due SET next_attempt_at = r.next_attempt_at, attempts = r.number FROM recorded r
    WHERE r.status = 'pending' AND due.endpoint_id = r.endpoint_id AND due.next_attempt_at = r.was_due_at
      AND due.delivery_id = r.id
  ), done AS (
    DELETE FROM webhooks.due USING recorded r
    WHERE r.status <> 'pending' AND due.endpoint_id = r.endpoint_id AND due.next_attempt_at = r.was_due_at
      AND due.delivery_id = r.id
  ), logged AS (
    INSERT INTO webhooks.attempts (delivery_id, number, at, duration_ms, status_code, outcome, error, excerpt)
    SELECT id, number, at, duration_ms, status_code, outcome, error, excerpt FROM recorded
  ), failing AS (
    SELECT endpoint_id, min(at) AS first_at FROM recorded WHERE endpoint_id <> ALL ($12::uuid[]) GROUP BY endpoint_id
  ), known AS (
    INSERT INTO webhooks.endpoint_health AS h (endpoint_id, failing_since)
    SELECT endpoint_id, first_at FROM failing ORDER BY endpoint_id
    ON CONFLICT (endpoint_id) DO UPDATE SET failing_since = EXCLUDED.failing_since WHERE h.failing_since IS NULL
  )
  SELECT endpoint_id AS "endpointId", failing_since AS since
  FROM failing JOIN webhooks.endpoint_health USING (endpoint_id) WHERE failing_since IS NOT NULL`;
