-- Signed statements about the whole log up to a position. With EventStoreDB the log is elsewhere, and these are still here.
-- The columns are exactly what was signed, so that a changed row has a wrong signature.
CREATE TABLE event_store.log_checkpoints (
  number bigint PRIMARY KEY CHECK (number > 0),
  position bigint NOT NULL UNIQUE,
  count bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  contents text COLLATE "C" NOT NULL,
  time timestamptz(3) NOT NULL,
  store text COLLATE "C" NOT NULL,
  previous text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL
);

CREATE FUNCTION event_store.refuse_checkpoint_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'log checkpoints are never changed or deleted';
END $$;

CREATE TRIGGER log_checkpoints_are_permanent BEFORE UPDATE OR DELETE OR TRUNCATE ON event_store.log_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_checkpoint_change();
