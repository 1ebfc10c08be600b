-- As before, and a process that still writes to the database after its log was copied to another store is refused: its
-- events would never be read. `florin log copy` itself writes here while another store has the log.
CREATE OR REPLACE FUNCTION event_store.append(
  streams text[], revisions integer[], ids uuid[], types text[], data text[], metadata text[],
  required_streams text[], required_revisions integer[], announce boolean
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7017280452245743464);

  IF current_setting('florin.log_copy', true) IS DISTINCT FROM 'on'
    AND EXISTS (SELECT FROM event_store.store_identity AS s WHERE s.kind <> 'postgres') THEN
    RAISE EXCEPTION 'the log of this database is in another event store; set EVENT_STORE to it and restart' USING ERRCODE = 'FL005';
  END IF;

  IF cardinality(required_streams) > 0 AND EXISTS (
    SELECT FROM unnest(required_streams, required_revisions) AS required(stream, revision)
    WHERE NOT EXISTS (
      SELECT FROM event_store.events AS e WHERE e.stream = required.stream AND e.revision = required.revision
    ) AND NOT EXISTS (
      SELECT FROM event_store.archived_streams AS a WHERE a.stream = required.stream AND a.last_revision = required.revision
    )
  ) THEN
    RAISE EXCEPTION 'a stream does not stand at the expected revision yet' USING ERRCODE = 'FL001';
  END IF;

  IF EXISTS (SELECT FROM event_store.archive_files) AND EXISTS (
    SELECT FROM unnest(streams, revisions) AS new(stream, revision)
    WHERE EXISTS (
      SELECT FROM event_store.archived_streams AS a WHERE a.stream = new.stream AND a.last_revision >= new.revision
    )
  ) THEN
    RAISE EXCEPTION 'this revision of a stream is in an archive file' USING ERRCODE = 'FL004';
  END IF;

  SELECT coalesce(max(e.position), 0) INTO head FROM event_store.events AS e;

  INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
  SELECT head + new.ordinality, new.stream, new.revision, new.id, new.type, new.data, new.metadata
  FROM unnest(streams, revisions, ids, types, data, metadata)
    WITH ORDINALITY AS new(stream, revision, id, type, data, metadata, ordinality);

  head := head + cardinality(streams);
  IF announce THEN
    PERFORM pg_notify('event_store', head::text);
  END IF;
  RETURN head;
END $$;

-- Positions of checkpoints before a copy are those of another store, so the same number can occur again.
ALTER TABLE event_store.log_checkpoints DROP CONSTRAINT log_checkpoints_position_key;
CREATE INDEX log_checkpoints_by_position ON event_store.log_checkpoints (position);
CREATE INDEX log_checkpoints_by_store ON event_store.log_checkpoints (store, number);

-- As before, with the position of the newest checkpoint, which is one of this store.
CREATE OR REPLACE FUNCTION event_store.archivable_to() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(0, least(
    (SELECT max(position) - 1 FROM event_store.events),
    -- The position of a sink is the number of a checkpoint.
    (SELECT min(position) FROM event_store.subscription_shards WHERE subscription NOT LIKE 'checkpoint-sink-%'),
    (SELECT position FROM event_store.log_checkpoints ORDER BY number DESC LIMIT 1)
  ))
$$;
