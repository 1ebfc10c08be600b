-- What was done for one card: the issue and its top-ups, a few among all that a company has ordered.
CREATE INDEX operations_by_card ON read_models.operations (card_id, created_at, id) WHERE card_id IS NOT NULL;
