-- Events take less than a third of the bytes of their texts (ADR 61). Rows of earlier releases keep data and metadata as texts;
-- new ones have them in `packed`, which only the adapter of the event store reads and writes.
ALTER TABLE event_store.events
  ALTER COLUMN data DROP NOT NULL,
  ALTER COLUMN metadata DROP NOT NULL,
  ADD COLUMN packed bytea,
  -- Existing rows are not checked: they have both texts.
  ADD CONSTRAINT events_have_contents
    CHECK ((packed IS NULL) = (data IS NOT NULL) AND (data IS NULL) = (metadata IS NULL)) NOT VALID;

-- As `append` before. An event has both texts, or packed contents; the other arrays are empty.
CREATE FUNCTION event_store.append_events(
  streams text[], revisions integer[], ids uuid[], types text[], data text[], metadata text[], packed bytea[],
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

  INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata, packed)
  SELECT head + new.ordinality, new.stream, new.revision, new.id, new.type, new.data, new.metadata, new.packed
  FROM unnest(streams, revisions, ids, types, data, metadata, packed)
    WITH ORDINALITY AS new(stream, revision, id, type, data, metadata, packed, ordinality);

  head := head + cardinality(streams);
  IF announce THEN
    PERFORM pg_notify('event_store', head::text);
  END IF;
  RETURN head;
END $$;

-- For services of the previous release until they are stopped, and for tools that have no adapter.
CREATE OR REPLACE FUNCTION event_store.append(
  streams text[], revisions integer[], ids uuid[], types text[], data text[], metadata text[],
  required_streams text[], required_revisions integer[], announce boolean
) RETURNS bigint LANGUAGE sql AS $$
  SELECT event_store.append_events(
    streams, revisions, ids, types, data, metadata, '{}', required_streams, required_revisions, announce
  )
$$;
