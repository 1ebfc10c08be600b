/** Among advisory locks with one key. */
const purgeLock = '7017280452245743470';

/**
 * Whether this transaction may purge: no other replica does, and the projection `webhooks` is not rebuilding events, for which
 * it needs all earlier ones of an object.
 */
export const mayPurge = `
  SELECT pg_try_advisory_xact_lock(${purgeLock}) AND coalesce((
    SELECT min(shard.position) >= (SELECT position FROM webhooks.sent_up_to)
    FROM event_store.subscription_shards shard WHERE shard.subscription = 'webhooks'
  ), false) AS "mayPurge"`;

/** Deliveries with their attempts, except pending ones. $1 the time before which, $2 the limit. */
export const purgeDeliveries = `
  WITH old AS MATERIALIZED (
    SELECT d.id FROM webhooks.endpoints p CROSS JOIN LATERAL (
      SELECT id FROM webhooks.deliveries
      WHERE endpoint_id = p.id AND created_at < $1 AND status <> 'pending'
      ORDER BY created_at, id LIMIT $2
    ) d LIMIT $2
  ), attempts AS (
    DELETE FROM webhooks.attempts USING old WHERE delivery_id = old.id
  )
  DELETE FROM webhooks.deliveries d USING old WHERE d.id = old.id AND d.status <> 'pending'`;

/** No more events are published about an operation after these. */
const finalTypes = `('operation.completed', 'operation.failed')`;

/**
 * Accounts of a table with events, by a loose index scan.
 */
const accountsIn = (table: string) => `
    (SELECT company_id, environment FROM ${table} ORDER BY company_id, environment LIMIT 1)
    UNION ALL
    SELECT next.* FROM accounts CROSS JOIN LATERAL (
      SELECT e.company_id, e.environment FROM ${table} e
      WHERE (e.company_id, e.environment) > (accounts.company_id, accounts.environment)
      ORDER BY e.company_id, e.environment LIMIT 1
    ) next`;

/** Scalar subqueries, because the planner could turn EXISTS into a scan of all deliveries. */
const hasNoDelivery = (id: string, createdAt: string) => `
        (SELECT true FROM webhooks.deliveries d WHERE d.resent AND d.event_id = ${id} LIMIT 1) IS NULL
        AND (
          SELECT true FROM webhooks.endpoints p JOIN webhooks.deliveries d ON d.endpoint_id = p.id AND d.created_at = ${createdAt}
          WHERE p.account_id = e.company_id || '-' || e.environment AND d.event_id = ${id} LIMIT 1
        ) IS NULL`;

/** Whether no event of `old`'s object follows that can be followed by others. */
const isNewest = `
    NOT EXISTS (SELECT 1 FROM webhooks.events newer WHERE newer.object_id = old.object_id AND newer.position > old.position)
    AND NOT EXISTS (
      SELECT 1 FROM webhooks.compact_events newer
      WHERE newer.object_id = old.object_id AND newer.position > old.position AND newer.type NOT IN ${finalTypes}
    )
    -- The final event of an operation, if it is purged later, removes the object.
    AND NOT EXISTS (SELECT 1 FROM old AS final WHERE final.object_id = old.object_id AND final.type IN ${finalTypes})`;

/** The newest event of an object that can change leaves the object behind, in the same form. */
const keepObjects = (object: string, compact: string) => `
  kept AS (
    INSERT INTO webhooks.objects AS known (object_id, company_id, environment, version, object, compact, position)
    SELECT object_id, company_id, environment::text, object_version, ${object}, ${compact}, position FROM old
    WHERE type NOT IN ${finalTypes} AND ${isNewest}
    ON CONFLICT (object_id) DO UPDATE SET version = EXCLUDED.version, object = EXCLUDED.object,
      compact = EXCLUDED.compact, position = EXCLUDED.position
      WHERE known.position < EXCLUDED.position
  ), ended AS (
    DELETE FROM webhooks.objects o USING old WHERE o.object_id = old.object_id AND old.type IN ${finalTypes}
  )
  SELECT count(*)::integer AS count FROM old`;

/** Events without deliveries, account by account. $1 the time before which, $2 the limit. */
export const purgeEvents = `
  WITH RECURSIVE accounts AS (${accountsIn('webhooks.events')}
  ), old AS MATERIALIZED (
    SELECT e.* FROM accounts CROSS JOIN LATERAL (
      SELECT id, company_id, environment, type, object_id, object_version, body, object, position FROM webhooks.events e
      WHERE e.company_id = accounts.company_id AND e.environment = accounts.environment AND e.created_at < $1
        AND ${hasNoDelivery('e.id', 'e.created_at')}
      ORDER BY e.created_at LIMIT $2
    ) e LIMIT $2
  ), purged AS (
    DELETE FROM webhooks.events e USING old WHERE e.id = old.id
  ), ${keepObjects(`coalesce(object, body::json #>> '{data,object}')`, 'NULL')}`;

/** The same for compact events. $1 the lowest id of the time before which, $2 the limit. */
export const purgeCompactEvents = `
  WITH RECURSIVE accounts AS (${accountsIn('webhooks.compact_events')}
  ), old AS MATERIALIZED (
    SELECT e.* FROM accounts CROSS JOIN LATERAL (
      SELECT * FROM webhooks.compact_events e
      WHERE e.company_id = accounts.company_id AND e.environment = accounts.environment AND e.id < $1
        AND ${hasNoDelivery('webhooks.compact_event_id(e.id)', 'webhooks.compact_event_time(e.id)')}
      ORDER BY e.id LIMIT $2
    ) e LIMIT $2
  ), purged AS (
    DELETE FROM webhooks.compact_events e USING old
    WHERE e.company_id = old.company_id AND e.environment = old.environment AND e.id = old.id AND e.type = old.type
  ), ${keepObjects('NULL', 'object')}`;
