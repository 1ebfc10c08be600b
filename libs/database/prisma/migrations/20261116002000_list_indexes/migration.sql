-- Every filter of a list has an index in the order of the list, so that a page costs the rows that it returns, and not the
-- rows of the company that it skips.
CREATE INDEX transactions_by_type ON read_models.transactions (company_id, environment, type, occurred_at, id);
CREATE INDEX transactions_by_status ON read_models.transactions (company_id, environment, status, occurred_at, id);

CREATE INDEX cards_by_status ON read_models.cards (company_id, environment, status, created_at, id);
CREATE INDEX cards_by_holder ON read_models.cards (holder_id, created_at, id);
CREATE INDEX cards_by_product ON read_models.cards (company_id, environment, product_id, created_at, id);

CREATE INDEX holders_by_kind ON read_models.holders (company_id, environment, kind, created_at, id);
CREATE INDEX holders_by_status ON read_models.holders (company_id, environment, status, created_at, id);

CREATE INDEX operations_by_type ON read_models.operations (company_id, environment, type, created_at, id);
-- As for the open and the failed ones: the columns of the condition change only at the end of an operation.
CREATE INDEX operations_completed ON read_models.operations (company_id, environment, created_at, id)
WHERE NOT open AND NOT failed;

CREATE INDEX invoices_by_status ON read_models.invoices (company_id, environment, status, created_at, id);
