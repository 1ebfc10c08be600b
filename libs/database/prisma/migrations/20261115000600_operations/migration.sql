-- What companies have ordered, and what became of it. Amounts are cents; `revision` is that of the last event shown.
--
-- An operation is written when it is queued and again up to three times until it ends. Those changes are cheap as long as
-- they touch no column that an index knows and the page has room for the next version of the row. That is why the indexes
-- name two columns that change only at the end, instead of the status and the time of the last change.
CREATE TABLE read_models.operations (
  id           uuid           PRIMARY KEY,
  company_id   uuid           NOT NULL,
  environment  text           NOT NULL,
  type         text           NOT NULL,
  product_id   text           NOT NULL,
  amount       bigint         NOT NULL,
  fee          bigint         NOT NULL,
  total        bigint         NOT NULL,
  holder_id    uuid,
  card_id      uuid,
  recipient    text,
  created_at   timestamptz(3) NOT NULL,
  status       text           NOT NULL,
  result       jsonb,
  failure      jsonb,
  -- Reason, since when, and how it was resolved; absent where nobody ever had to look into it.
  review       jsonb,
  -- What the issuer told by itself, by the id of the note.
  late_answers jsonb,
  updated_at   timestamptz(3) NOT NULL,
  revision     integer        NOT NULL,
  open         boolean        NOT NULL GENERATED ALWAYS AS (status NOT IN ('completed', 'failed')) STORED,
  failed       boolean        NOT NULL GENERATED ALWAYS AS (status = 'failed') STORED
) WITH (fillfactor = 60);

-- Read backwards. Ascending, because Postgres fills the pages of an index whose entries arrive in its own order.
CREATE INDEX operations_by_company ON read_models.operations (company_id, environment, created_at, id);
-- The few among many: what is under way or waits for an operator, and what has failed.
CREATE INDEX operations_open ON read_models.operations (company_id, environment, created_at, id) WHERE open;
CREATE INDEX operations_failed ON read_models.operations (company_id, environment, created_at, id) WHERE failed;
