-- The event store that the checkpoints and read models of this database were built from. One row, written at the first use of
-- a store: a log in any other store appears empty or contradicts them.
CREATE TABLE event_store.store_identity (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('postgres', 'eventstoredb')),
  -- The id in the store itself. NULL until a service has read it from a store that was in use before this migration.
  id uuid,
  -- The store had at least this position when the row was written.
  position bigint NOT NULL DEFAULT 0
);

-- Checkpoints beyond the end of the events in Postgres can only come from another store.
INSERT INTO event_store.store_identity (kind, id, position)
SELECT
  CASE WHEN processed > head THEN 'eventstoredb' ELSE 'postgres' END,
  CASE WHEN processed > head THEN NULL ELSE gen_random_uuid() END,
  greatest(processed, head)
FROM (
  SELECT
    (SELECT coalesce(max(position), 0) FROM event_store.events) AS head,
    (SELECT coalesce(max(position), 0) FROM event_store.subscription_shards) AS processed
) AS known
WHERE processed > 0 OR head > 0;
