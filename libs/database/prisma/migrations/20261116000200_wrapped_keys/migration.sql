-- Keys and secrets are encrypted with a vault key, which is stored outside the database, so that a copy of the database decrypts
-- nothing. Rows of earlier releases stay readable until `florin vault rotate` wraps them.

-- The id of the vault key that `key` is wrapped with; null: `key` is the key itself.
ALTER TABLE vault.holder_keys
  ADD COLUMN wrapped_by text,
  DROP CONSTRAINT holder_keys_key_check,
  ADD CONSTRAINT holder_keys_key_check CHECK (wrapped_by IS NOT NULL OR octet_length(key) = 32);

-- A key is wrapped again only by another vault key. Any other change of it would lock out what is sealed with it.
DROP TRIGGER keys_are_only_destroyed ON vault.holder_keys;
CREATE TRIGGER keys_are_only_destroyed BEFORE UPDATE ON vault.holder_keys
  FOR EACH ROW WHEN (
    NEW.holder_id <> OLD.holder_id OR NEW.key IS NOT NULL AND (
      OLD.key IS NULL OR NEW.wrapped_by IS NULL OR NEW.wrapped_by IS NOT DISTINCT FROM OLD.wrapped_by
    )
  ) EXECUTE FUNCTION vault.refuse_change();

-- Either the secret itself, or the wrapped secret and the id of the vault key.
ALTER TABLE vault.webhook_secrets
  ALTER COLUMN secret DROP NOT NULL,
  ADD COLUMN wrapped bytea,
  ADD COLUMN wrapped_by text,
  ADD CONSTRAINT wrapped_or_not CHECK ((secret IS NULL) = (wrapped IS NOT NULL) AND (wrapped IS NULL) = (wrapped_by IS NULL));
