-- What clients change on a card: spending limits and their own key-value pairs.
ALTER TABLE read_models.cards
  ADD COLUMN limits   jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';

CREATE INDEX cards_by_metadata ON read_models.cards USING gin (metadata jsonb_path_ops);
