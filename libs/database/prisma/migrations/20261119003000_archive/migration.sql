-- Closed streams can move from event_store.events to archive files (ADR 50). These tables say which file has which events:
-- a stream whose events were archived is never taken for a stream that does not exist.
CREATE TABLE event_store.archive_files (
  number integer PRIMARY KEY CHECK (number > 0),
  name text COLLATE "C" NOT NULL UNIQUE,
  -- SHA-256 of the header of the file, which contains that of its content and `previous`, the hash of the file before it.
  hash text COLLATE "C" NOT NULL,
  previous text COLLATE "C" NOT NULL,
  first_position bigint NOT NULL,
  last_position bigint NOT NULL,
  events integer NOT NULL CHECK (events > 0),
  bytes bigint NOT NULL,
  -- Whether all events of the file have been deleted from event_store.events.
  is_emptied boolean NOT NULL DEFAULT false
);

-- Consecutive events of a stream in a file. Events that follow them are in event_store.events, or in a later file.
CREATE TABLE event_store.archived_streams (
  stream text COLLATE "C" NOT NULL,
  first_revision integer NOT NULL CHECK (first_revision >= 0),
  last_revision integer NOT NULL CHECK (last_revision >= first_revision),
  first_position bigint NOT NULL,
  last_position bigint NOT NULL,
  file integer NOT NULL,
  PRIMARY KEY (stream, last_revision)
);

-- Services of the previous release append while this migration runs, so they need these rights before the roles are updated.
DO $$
DECLARE
  reader text;
BEGIN
  FOR reader IN
    SELECT DISTINCT grantee::regrole::text FROM pg_class, aclexplode(relacl)
    WHERE pg_class.oid = 'event_store.events'::regclass AND privilege_type = 'SELECT' AND grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT ON event_store.archive_files, event_store.archived_streams TO %s', reader);
  END LOOP;
END $$;

-- As before, and an archived revision exists. FL004 is not FL001: an earlier release, which does not see archived events, must
-- fail instead of trying again forever.
CREATE OR REPLACE FUNCTION event_store.append(
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

-- Events are never changed, and deleted only if a recorded file has them.
DROP TRIGGER events_are_for_ever ON event_store.events;
CREATE TRIGGER events_are_for_ever BEFORE UPDATE OR TRUNCATE ON event_store.events
  FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();

CREATE FUNCTION event_store.refuse_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM deleted WHERE NOT EXISTS (
      SELECT FROM event_store.archived_streams AS a
      WHERE a.stream = deleted.stream AND a.first_revision <= deleted.revision AND a.last_revision >= deleted.revision
    )
  ) THEN
    RAISE EXCEPTION 'events are never changed or deleted: record a new event that corrects the old one';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER only_archived_events_are_deleted AFTER DELETE ON event_store.events
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_unarchived();

CREATE TRIGGER archive_files_are_permanent BEFORE DELETE OR TRUNCATE ON event_store.archive_files
  FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();
CREATE TRIGGER archived_streams_are_permanent BEFORE UPDATE OR DELETE OR TRUNCATE ON event_store.archived_streams
  FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();

-- How far the log may be archived: all subscriptions and the signer have processed it, and it is not the newest event, from
-- which the next position is computed.
CREATE FUNCTION event_store.archivable_to() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(0, least(
    (SELECT max(position) - 1 FROM event_store.events),
    -- The position of a sink is the number of a checkpoint.
    (SELECT min(position) FROM event_store.subscription_shards WHERE subscription NOT LIKE 'checkpoint-sink-%'),
    (SELECT max(position) FROM event_store.log_checkpoints)
  ))
$$;

-- Records a complete file and its streams. From the commit on, their events are read from the file.
CREATE FUNCTION event_store.record_archive(
  of_number integer, of_name text, of_hash text, of_previous text, of_bytes bigint, of_streams text[],
  first_revisions integer[], last_revisions integer[], first_positions bigint[], last_positions bigint[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  counted bigint;
  last_file event_store.archive_files;
BEGIN
  -- A file has all events of its streams that are not in earlier files.
  IF EXISTS (
    SELECT FROM unnest(of_streams, first_revisions, last_revisions, first_positions, last_positions)
      AS new(stream, first_revision, last_revision, first_position, last_position)
    LEFT JOIN LATERAL (
      SELECT count(*), min(e.revision) AS first, max(e.revision) AS last, min(e.position) AS begins, max(e.position) AS ends
      FROM event_store.events AS e WHERE e.stream = new.stream
    ) AS live ON true
    WHERE (live.first, live.last, live.count, live.begins, live.ends) IS DISTINCT FROM
      (new.first_revision, new.last_revision, (new.last_revision - new.first_revision + 1)::bigint, new.first_position, new.last_position)
      OR new.first_revision > 0 AND NOT EXISTS (
        SELECT FROM event_store.archived_streams AS a WHERE a.stream = new.stream AND a.last_revision = new.first_revision - 1
      )
  ) THEN
    RAISE EXCEPTION 'the file does not have exactly the events of its streams' USING ERRCODE = 'FL005';
  END IF;

  INSERT INTO event_store.archived_streams (stream, first_revision, last_revision, first_position, last_position, file)
  SELECT new.*, of_number FROM unnest(of_streams, first_revisions, last_revisions, first_positions, last_positions) AS new;
  SELECT sum(a.last - a.first + 1) INTO counted FROM unnest(first_revisions, last_revisions) AS a(first, last);

  -- No append may come between the next checks and the commit.
  PERFORM pg_advisory_xact_lock(7017280452245743464);
  IF EXISTS (
    SELECT FROM unnest(of_streams, last_revisions) AS new(stream, last_revision)
    WHERE EXISTS (SELECT FROM event_store.events AS e WHERE e.stream = new.stream AND e.revision > new.last_revision)
  ) THEN
    RAISE EXCEPTION 'a stream was continued meanwhile' USING ERRCODE = 'FL005';
  END IF;
  IF (SELECT max(position) FROM unnest(last_positions) AS position) > event_store.archivable_to() THEN
    RAISE EXCEPTION 'the newest events, and those that a subscription or the signer has not processed, are not archived'
      USING ERRCODE = 'FL005';
  END IF;
  SELECT * INTO last_file FROM event_store.archive_files ORDER BY number DESC LIMIT 1;
  IF of_number <> coalesce(last_file.number, 0) + 1 OR of_previous <> coalesce(last_file.hash, '') THEN
    RAISE EXCEPTION 'another process has recorded an archive file meanwhile' USING ERRCODE = 'FL005';
  END IF;
  INSERT INTO event_store.archive_files (number, name, hash, previous, first_position, last_position, events, bytes)
  SELECT of_number, of_name, of_hash, of_previous, min(first), max(last), counted, of_bytes
  FROM unnest(first_positions, last_positions) AS a(first, last);
END $$;

-- Deletes events of these streams that the file has, and returns how many. All events of a stream are deleted at once.
CREATE FUNCTION event_store.delete_archived(of_file integer, of_streams text[]) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  deleted bigint;
BEGIN
  DELETE FROM event_store.events AS e USING event_store.archived_streams AS a
  WHERE a.stream = ANY (of_streams) AND a.file = of_file
    AND e.stream = a.stream AND e.revision BETWEEN a.first_revision AND a.last_revision;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;

CREATE FUNCTION event_store.finish_archive(of_file integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM event_store.archived_streams AS a JOIN event_store.events AS e ON e.stream = a.stream
      AND e.revision BETWEEN a.first_revision AND a.last_revision
    WHERE a.file = of_file
  ) THEN
    RAISE EXCEPTION 'events of archive file % have not been deleted', of_file USING ERRCODE = 'FL005';
  END IF;
  UPDATE event_store.archive_files SET is_emptied = true WHERE number = of_file;
END $$;
