ALTER TABLE read_models.holders
  -- Null without metadata, and after the holder is erased.
  ADD COLUMN metadata   jsonb,
  ADD COLUMN updated_at timestamptz(3);

-- Rows of earlier releases get the time of their last change with the next one, or in a rebuild.
UPDATE read_models.holders SET updated_at = created_at;
ALTER TABLE read_models.holders ALTER COLUMN updated_at SET NOT NULL;

CREATE INDEX holders_by_metadata ON read_models.holders USING gin (metadata jsonb_path_ops) WHERE metadata IS NOT NULL;
