-- `available` is what can be spent: the meaning of `balance` until now. A pending payment leaves the money on the card and
-- holds it, so `balance` gets back what pending debits have taken.
ALTER TABLE read_models.cards
  ADD COLUMN available  bigint,
  ADD COLUMN updated_at timestamptz(3);

WITH payments AS (
  SELECT card_id, max(occurred_at) AS last_at,
    coalesce(sum(amount) FILTER (WHERE status = 'pending' AND type IN ('purchase', 'withdrawal', 'fee', 'adjustment')), 0) AS held
  FROM read_models.transactions GROUP BY card_id
)
UPDATE read_models.cards AS card SET
  available = card.balance,
  balance = card.balance + coalesce(payments.held, 0),
  updated_at = greatest(card.created_at, payments.last_at)
FROM read_models.cards AS old LEFT JOIN payments ON payments.card_id = old.id
WHERE old.id = card.id;

ALTER TABLE read_models.cards
  ALTER COLUMN available SET NOT NULL,
  ALTER COLUMN updated_at SET NOT NULL;
