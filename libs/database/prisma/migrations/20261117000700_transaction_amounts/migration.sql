-- An authorization can be cleared in parts, so its amounts are separate columns. Until now a payment was cleared as a whole or
-- not at all.
ALTER TABLE read_models.transactions
  ADD COLUMN authorized_amount bigint,
  ADD COLUMN cleared_amount    bigint,
  -- What the merchant charged, in another currency.
  ADD COLUMN original_amount   bigint,
  ADD COLUMN original_currency text,
  ADD COLUMN merchant_category text,
  ADD COLUMN decline_reason    text,
  ADD COLUMN updated_at        timestamptz(3);

UPDATE read_models.transactions SET
  authorized_amount = CASE WHEN type IN ('refund', 'verification') OR status = 'declined' THEN 0 ELSE amount END,
  cleared_amount = CASE WHEN status = 'completed' THEN amount ELSE 0 END,
  updated_at = occurred_at;

ALTER TABLE read_models.transactions
  ALTER COLUMN authorized_amount SET NOT NULL,
  ALTER COLUMN cleared_amount SET NOT NULL,
  ALTER COLUMN updated_at SET NOT NULL;
