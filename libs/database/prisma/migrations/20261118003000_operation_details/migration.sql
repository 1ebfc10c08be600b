ALTER TABLE read_models.operations
  -- The name of the card to issue. Absent in operations of earlier releases.
  ADD COLUMN name     text,
  ADD COLUMN metadata jsonb;

CREATE INDEX operations_by_metadata ON read_models.operations USING gin (metadata jsonb_path_ops) WHERE metadata IS NOT NULL;
