-- One key per holder. What the event log says about a person is encrypted with it, so that the person is erased, from the log,
-- its backups and every replay, by erasing the key. So backups of this schema must not be kept for longer than an erased
-- person may be readable, and without it the log's names and addresses are lost.
CREATE SCHEMA vault;

-- A destroyed key leaves its row behind: no other is ever made for the same holder.
CREATE TABLE vault.holder_keys (
  holder_id    uuid           PRIMARY KEY,
  key          bytea          CHECK (octet_length(key) = 32),
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  destroyed_at timestamptz(3),
  CONSTRAINT destroyed_or_not CHECK ((key IS NULL) = (destroyed_at IS NOT NULL))
);

-- Another key would lock out everything sealed so far, and a deleted row would let a new key be made.
CREATE FUNCTION vault.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the key of a holder is never replaced or deleted: destroy it by setting it to NULL';
END $$;

CREATE TRIGGER keys_are_only_destroyed BEFORE UPDATE ON vault.holder_keys
  FOR EACH ROW WHEN (NEW.key IS NOT NULL OR NEW.holder_id <> OLD.holder_id) EXECUTE FUNCTION vault.refuse_change();

CREATE TRIGGER rows_are_kept BEFORE DELETE OR TRUNCATE ON vault.holder_keys
  FOR EACH STATEMENT EXECUTE FUNCTION vault.refuse_change();
