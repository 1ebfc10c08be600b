ALTER TABLE read_models.invoices
  -- The transfer that paid a completed invoice: transactionId, blockNumber and blockTime. Absent if an earlier release credited it.
  ADD COLUMN settlement    jsonb,
  -- The page for the payer. Absent in invoices of earlier releases.
  ADD COLUMN payment_url   text,
  -- The last part of that address, which is random.
  ADD COLUMN payment_token text GENERATED ALWAYS AS (substring(payment_url FROM '[^/]+$')) STORED,
  ADD COLUMN metadata      jsonb;

CREATE INDEX invoices_by_payment_token ON read_models.invoices (payment_token) WHERE payment_token IS NOT NULL;
CREATE INDEX invoices_by_metadata ON read_models.invoices USING gin (metadata jsonb_path_ops) WHERE metadata IS NOT NULL;
