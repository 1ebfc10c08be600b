-- Funding invoices, and what arrived at the addresses where they can be paid. `revision` is that of the last event shown.
--
-- Amounts in US dollars are cents. What is to be paid is counted in millionths of a USDT, as its contract counts: twelve
-- digits before the point still fit a bigint.
CREATE TABLE read_models.invoices (
  id             uuid           PRIMARY KEY,
  company_id     uuid           NOT NULL,
  environment    text           NOT NULL,
  deposit_amount bigint         NOT NULL,
  fee            bigint         NOT NULL,
  credit_amount  bigint         NOT NULL,
  created_at     timestamptz(3) NOT NULL,
  expires_at     timestamptz(3) NOT NULL,
  -- Where to pay and exactly how much; absent until the invoice is issued.
  address        text,
  pay_amount     bigint,
  status         text           NOT NULL,
  -- Paid as asked for: the credit is to follow.
  paid           boolean        NOT NULL,
  -- The deposit that pays it, or may.
  deposit_id     uuid,
  -- Reason, since when, and how it was resolved; absent where nobody ever had to look into it.
  review         jsonb,
  updated_at     timestamptz(3) NOT NULL,
  revision       integer        NOT NULL,
  open           boolean        NOT NULL GENERATED ALWAYS AS (status IN ('creating', 'pending', 'manual_review')) STORED
) WITH (fillfactor = 80);

-- Read backwards. Ascending, because Postgres fills the pages of an index whose entries arrive in its own order.
CREATE INDEX invoices_by_company ON read_models.invoices (company_id, environment, created_at, id);
-- The few among many: what can be paid, is being credited, or waits for an operator.
CREATE INDEX invoices_open ON read_models.invoices (created_at, id) WHERE open;
-- What expired lately, and can still be paid late.
CREATE INDEX invoices_by_expiry ON read_models.invoices (expires_at) WHERE environment = 'live';
-- Whose a payment is. That no two invoices which are watched have the same amount is decided where amounts are claimed; a
-- read model that refused to show a breach of it would only hide it.
CREATE INDEX invoices_by_payment ON read_models.invoices (address, pay_amount) WHERE address IS NOT NULL;

CREATE TABLE read_models.deposits (
  id             uuid           PRIMARY KEY,
  address        text           NOT NULL,
  transaction_id text           NOT NULL,
  log_index      integer        NOT NULL,
  sender         text           NOT NULL,
  -- Millionths of a USDT. A contract can name any number of 256 bits.
  amount         numeric(78, 0) NOT NULL,
  block_number   bigint         NOT NULL,
  block_time     timestamptz(3) NOT NULL,
  status         text           NOT NULL,
  -- Of a matched one: whether it came too late to be credited by itself.
  late           boolean,
  -- Of an unmatched one: why.
  reason         text,
  -- The invoice whose amount it is, or which an operator found to be meant.
  invoice_id     uuid,
  for_review     boolean        NOT NULL,
  -- When it was last told to be matched or unmatched.
  judged_at      timestamptz(3) NOT NULL,
  resolution     jsonb,
  revision       integer        NOT NULL
) WITH (fillfactor = 90);

CREATE INDEX deposits_by_time ON read_models.deposits (block_time, id);
CREATE INDEX deposits_for_review ON read_models.deposits (block_time, id) WHERE for_review AND status = 'unmatched';
