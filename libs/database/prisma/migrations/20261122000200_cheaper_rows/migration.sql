-- Without the cards that have no metadata, which are most of them: an index of this kind has an entry for an empty object, too.
DROP INDEX read_models.cards_by_metadata;
CREATE INDEX cards_by_metadata ON read_models.cards USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';

-- The list of a type or of all operations merges the lists of these three. Every operation is in one of them, so it is
-- written to one index instead of three.
DROP INDEX read_models.operations_by_company, read_models.operations_by_type;
DROP INDEX read_models.operations_open, read_models.operations_failed, read_models.operations_completed;
CREATE INDEX operations_open ON read_models.operations (company_id, environment, type, created_at, id) WHERE open;
CREATE INDEX operations_failed ON read_models.operations (company_id, environment, type, created_at, id) WHERE failed;
CREATE INDEX operations_completed ON read_models.operations (company_id, environment, type, created_at, id)
  WHERE NOT open AND NOT failed;
