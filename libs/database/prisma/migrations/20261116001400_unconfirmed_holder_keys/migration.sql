-- The key of a holder is stored before the registration, which may be refused. Until the holder is registered its key is
-- unconfirmed, and can be deleted: `requests` counts the registrations that use it and were not refused, `requested_at` is the
-- time of the latest, and `account_id` leads to the stream that would contain the holder. A confirmed key has none of them.
ALTER TABLE vault.holder_keys
  ADD COLUMN requests integer,
  ADD COLUMN requested_at timestamptz(3),
  ADD COLUMN account_id text,
  ADD CONSTRAINT unconfirmed_or_not CHECK (
    (requests IS NULL) = (requested_at IS NULL) AND (requests IS NULL) = (account_id IS NULL)
    AND (requests IS NULL OR key IS NOT NULL)
  );

CREATE INDEX holder_keys_unconfirmed ON vault.holder_keys (requested_at) WHERE requests IS NOT NULL;

-- A confirmed key never becomes unconfirmed. All other changes are refused as before.
DROP TRIGGER keys_are_only_destroyed ON vault.holder_keys;
CREATE TRIGGER keys_are_only_destroyed BEFORE UPDATE ON vault.holder_keys
  FOR EACH ROW WHEN (
    NEW.holder_id <> OLD.holder_id
    OR OLD.requests IS NULL AND NEW.requests IS NOT NULL
    OR NEW.key IS NOT NULL AND (NEW.key, NEW.wrapped_by) IS DISTINCT FROM (OLD.key, OLD.wrapped_by) AND (
      OLD.key IS NULL OR NEW.wrapped_by IS NULL OR NEW.wrapped_by IS NOT DISTINCT FROM OLD.wrapped_by
    )
  ) EXECUTE FUNCTION vault.refuse_change();

DROP TRIGGER rows_are_kept ON vault.holder_keys;
CREATE TRIGGER rows_are_kept BEFORE DELETE ON vault.holder_keys
  FOR EACH ROW WHEN (OLD.requests IS NULL) EXECUTE FUNCTION vault.refuse_change();
CREATE TRIGGER table_is_kept BEFORE TRUNCATE ON vault.holder_keys
  FOR EACH STATEMENT EXECUTE FUNCTION vault.refuse_change();
