-- A delivery was claimed by one update of its row and settled by another, and the second rewrote three indexes. Now endpoints are
-- claimed instead, what waits stands in a table of its own, and the row of a delivery is written again in place.

-- What is to be sent: a row for each pending delivery, and for no other. It is moved by an attempt that fails, and removed by
-- whatever ends the delivery. Its key is the queue of each endpoint, so that one that hangs cannot hide the others behind its backlog.
CREATE TABLE webhooks.due (
  endpoint_id     uuid             NOT NULL,
  next_attempt_at timestamptz(3)   NOT NULL,
  delivery_id     uuid             NOT NULL,
  event_id        text COLLATE "C" NOT NULL,
  -- How many were made before; the delivery has the same number.
  attempts        integer          NOT NULL DEFAULT 0,
  PRIMARY KEY (endpoint_id, next_attempt_at, delivery_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.2);

INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id, attempts)
SELECT endpoint_id, next_attempt_at, id, event_id, attempts FROM webhooks.deliveries WHERE status = 'pending';

-- Who sends to an endpoint, and until when nobody else may. A claim that was given back leaves its row behind.
CREATE TABLE webhooks.endpoint_claims (
  endpoint_id   uuid PRIMARY KEY,
  claimed_by    uuid,
  claimed_until timestamptz(3)
) WITH (fillfactor = 25);

DROP INDEX webhooks.deliveries_due, webhooks.deliveries_due_by_endpoint, webhooks.deliveries_by_endpoint;
ALTER TABLE webhooks.deliveries DROP COLUMN claimed_until, DROP COLUMN claimed_by, DROP COLUMN first_attempt_at;

-- Why it was never acknowledged; NULL while it can be, and when it was. An acknowledgement does not change it, and `status`
-- stands in no index: so an acknowledgement writes none.
ALTER TABLE webhooks.deliveries ADD COLUMN unsent text
  GENERATED ALWAYS AS (CASE WHEN status IN ('failed', 'cancelled') THEN status END) STORED;

-- The log of one endpoint, read backwards, and that of what it has never acknowledged.
CREATE INDEX deliveries_by_endpoint ON webhooks.deliveries (endpoint_id, created_at, id);
CREATE INDEX deliveries_unsent ON webhooks.deliveries (endpoint_id, unsent, created_at, id) WHERE unsent IS NOT NULL;
