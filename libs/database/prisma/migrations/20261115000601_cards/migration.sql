-- Cards and what was paid with them, both from the events of the card. Amounts are cents; `revision` is that of the last
-- event shown. Status and balance stand in no index, so that a page with room takes their changes cheaply.
CREATE TABLE read_models.cards (
  id             uuid           PRIMARY KEY,
  company_id     uuid           NOT NULL,
  environment    text           NOT NULL,
  holder_id      uuid           NOT NULL,
  product_id     text           NOT NULL,
  name           text           NOT NULL,
  last4          text           NOT NULL,
  -- What the issuer calls the card.
  card_reference text,
  created_at     timestamptz(3) NOT NULL,
  status         text           NOT NULL,
  balance        bigint         NOT NULL,
  revision       integer        NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX cards_by_company ON read_models.cards (company_id, environment, created_at, id);
CREATE INDEX cards_by_reference ON read_models.cards (card_reference) WHERE card_reference IS NOT NULL;

CREATE TABLE read_models.transactions (
  id          uuid           PRIMARY KEY,
  company_id  uuid           NOT NULL,
  environment text           NOT NULL,
  card_id     uuid           NOT NULL,
  reference   text           NOT NULL,
  type        text           NOT NULL,
  amount      bigint         NOT NULL,
  currency    text           NOT NULL,
  merchant    text           NOT NULL,
  country     text           NOT NULL,
  description text           NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  status      text           NOT NULL,
  revision    integer        NOT NULL
) WITH (fillfactor = 90);

CREATE INDEX transactions_by_company ON read_models.transactions (company_id, environment, occurred_at, id);
CREATE INDEX transactions_by_card ON read_models.transactions (card_id, occurred_at, id);
