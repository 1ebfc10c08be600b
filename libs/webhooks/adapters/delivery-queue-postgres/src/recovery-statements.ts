/** Locks the recovery that has waited longest and that no other replica works on. $1 now. */
export const lockNextRecovery = `
  SELECT r.endpoint_id AS "endpointId", r.after_time AS "afterTime", r.after_id AS "afterId",
    r.until_position AS "untilPosition", r.again_since AS "againSince", p.company_id AS "companyId", p.environment, p.events
  FROM webhooks.recoveries r JOIN webhooks.endpoints p ON p.id = r.endpoint_id
  WHERE r.next_step_at <= $1
  ORDER BY r.next_step_at, r.endpoint_id LIMIT 1
  FOR UPDATE OF r SKIP LOCKED`;

/** $1 the endpoint, $2 the number up to which is counted. */
export const countRecovered = `
  SELECT count(*)::integer AS count
  FROM (SELECT 1 FROM webhooks.due WHERE endpoint_id = $1 AND recovered LIMIT $2) AS pending`;

/**
 * A page of events, each with whether the endpoint has missed it: it subscribes to it, and no delivery was acknowledged or is
 * pending. The first delivery of an event has the time of the event; resent ones have an index. Scalar subqueries, because
 * the planner could turn EXISTS into a scan of all deliveries. $1 the endpoint, $2 and $3 its owner, $4 and $5 the cursor,
 * $6 the position before which events are recovered, $7 the subscribed types, $8 the limit, $9 the cursor among compact events.
 */
export const readRecoveryPage = `
  WITH page AS (
    SELECT * FROM (
      (SELECT id, type, created_at, position FROM webhooks.events
       WHERE company_id = $2 AND environment = $3 AND (created_at, id) > ($4::timestamptz, $5::text)
       ORDER BY created_at, id LIMIT $8)
      UNION ALL
      (SELECT webhooks.compact_event_id(id) COLLATE "C", type::text, webhooks.compact_event_time(id), position
       FROM webhooks.compact_events
       WHERE company_id = $2 AND environment = $3::text::webhooks.environment AND compact_events.id > $9::uuid
       ORDER BY compact_events.id LIMIT $8)
    ) AS events ORDER BY created_at, id LIMIT $8
  )
  SELECT id, created_at AS "createdAt",
    position < $6 AND type <> 'webhook_endpoint.test' AND ($7::text[] IS NULL OR type = ANY ($7))
    AND (
      SELECT true FROM webhooks.deliveries d
      WHERE d.endpoint_id = $1 AND d.created_at = page.created_at AND d.event_id = page.id
        AND d.status IN ('pending', 'delivered') LIMIT 1
    ) IS NULL
    AND (
      SELECT true FROM webhooks.deliveries d
      WHERE d.resent AND d.event_id = page.id AND d.endpoint_id = $1 AND d.status IN ('pending', 'delivered') LIMIT 1
    ) IS NULL AS "isMissed"
  FROM page ORDER BY created_at, id`;

/**
 * $1 events to send to endpoint $2 with owner $3 and $4, at $5. The id depends on the event and the endpoint only: another
 * recovery of the same event queues the same delivery again, as if it was new.
 */
export const queueRecovered = `
  WITH queued AS (
    INSERT INTO webhooks.deliveries AS d
      (id, event_id, endpoint_id, company_id, environment, next_attempt_at, created_at, resent)
    SELECT md5(concat_ws(' ', 'recovery', $2::uuid, event_id))::uuid, event_id, $2, $3, $4, $5, $5, true
    FROM unnest($1::text[]) AS event_id
    ON CONFLICT (id) DO UPDATE SET status = 'pending', attempts = 0, next_attempt_at = EXCLUDED.next_attempt_at,
      created_at = EXCLUDED.created_at, last_attempt_at = NULL, last_status_code = NULL, last_duration_ms = NULL,
      last_error = NULL
      WHERE d.status IN ('failed', 'cancelled')
    RETURNING endpoint_id, next_attempt_at, id, event_id
  ), forgotten AS (
    DELETE FROM webhooks.attempts USING queued WHERE delivery_id = queued.id
  )
  INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id, recovered)
  SELECT endpoint_id, next_attempt_at, id, event_id, true FROM queued
  ON CONFLICT DO NOTHING`;

/** $1 the endpoint, $2 when the next step is due. */
export const postponeRecovery = 'UPDATE webhooks.recoveries SET next_step_at = $2 WHERE endpoint_id = $1';

/** $1 the endpoint, $2 when the next step is due, $3 and $4 the cursor. */
export const continueRecovery = `
  UPDATE webhooks.recoveries SET next_step_at = $2, after_time = $3, after_id = $4 WHERE endpoint_id = $1`;

/** $1 the endpoint, $2 when the next step is due. */
export const restartRecovery = `
  UPDATE webhooks.recoveries SET next_step_at = $2, after_time = again_since, after_id = '', again_since = NULL
  WHERE endpoint_id = $1`;

export const endRecovery = 'DELETE FROM webhooks.recoveries WHERE endpoint_id = $1';
