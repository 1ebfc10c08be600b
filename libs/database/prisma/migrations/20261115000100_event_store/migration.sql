-- The truth: every event of every stream, in one global order. Texts are kept to the letter, because they are hashed;
-- jsonb would reorder keys and rewrite numbers. Names are compared byte by byte, which needs no collation tables.
CREATE TABLE event_store.events (
  position bigint PRIMARY KEY,
  stream text COLLATE "C" NOT NULL,
  revision integer NOT NULL CHECK (revision >= 0),
  id uuid NOT NULL,
  type text COLLATE "C" NOT NULL,
  data text NOT NULL,
  metadata text NOT NULL,
  CONSTRAINT events_stream_revision UNIQUE (stream, revision)
);

-- Appends a batch of events of many streams, all of them or none, and returns the position of the last one.
--
-- The lock is held until the commit has become visible. So positions have no gaps, whatever is rolled back, and they become
-- visible in their order, however many processes write: whoever has read up to a position can never miss an event before it.
--
-- A revision that exists already breaks the unique constraint. A revision that would leave a hole does not, so the caller
-- names the streams of which it does not know that they stand at least at the revision it expects.
CREATE FUNCTION event_store.append(
  streams text[], revisions integer[], ids uuid[], types text[], data text[], metadata text[],
  required_streams text[], required_revisions integer[], announce boolean
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7017280452245743464);

  IF cardinality(required_streams) > 0 AND EXISTS (
    SELECT FROM unnest(required_streams, required_revisions) AS required(stream, revision)
    WHERE NOT EXISTS (
      SELECT FROM event_store.events AS e WHERE e.stream = required.stream AND e.revision = required.revision
    )
  ) THEN
    RAISE EXCEPTION 'a stream does not stand at the expected revision yet' USING ERRCODE = 'FL001';
  END IF;

  SELECT coalesce(max(e.position), 0) INTO head FROM event_store.events AS e;

  INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
  SELECT head + new.ordinality, new.stream, new.revision, new.id, new.type, new.data, new.metadata
  FROM unnest(streams, revisions, ids, types, data, metadata)
    WITH ORDINALITY AS new(stream, revision, id, type, data, metadata, ordinality);

  head := head + cardinality(streams);
  -- Whoever listens is woken, and wakes its client in turn: worth it for some batches, but not for all of a busy writer.
  IF announce THEN
    PERFORM pg_notify('event_store', head::text);
  END IF;
  RETURN head;
END $$;

-- What has happened stays as it was recorded, also for whoever holds a console.
CREATE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are never changed or deleted: record a new event that corrects the old one';
END $$;

CREATE TRIGGER events_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON event_store.events
  FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();
