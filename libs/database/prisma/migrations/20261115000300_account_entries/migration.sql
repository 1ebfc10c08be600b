-- The lines of every account's statement. Amounts are cents. `sequence` follows the account's event stream, and
-- `created_at` never runs backwards along it, so both orders are the same and one index serves for both.
CREATE TABLE read_models.account_entries (
  company_id      uuid        NOT NULL,
  environment     text        NOT NULL,
  sequence        bigint      NOT NULL,
  id              uuid        NOT NULL,
  kind            text        NOT NULL,
  reference       text        NOT NULL,
  description     text        NOT NULL,
  available_delta bigint      NOT NULL,
  held_delta      bigint      NOT NULL,
  available       bigint      NOT NULL,
  held            bigint      NOT NULL,
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (company_id, environment, created_at, sequence)
);
