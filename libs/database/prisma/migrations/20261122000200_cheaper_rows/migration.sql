-- Without the cards that have no metadata, which are most of them: an index of this kind has an entry for an empty object, too.
DROP INDEX read_models.cards_by_metadata;
CREATE INDEX cards_by_metadata ON read_models.cards USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';
