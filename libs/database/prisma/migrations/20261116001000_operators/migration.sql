-- Operators, with the SHA-256 of their current token. Name and e-mail are null once the key of the person is destroyed.
CREATE TABLE read_models.operators (
  operator_id     uuid           PRIMARY KEY,
  name            text,
  email           text,
  role            text           NOT NULL,
  role_changed_at timestamptz(3),
  role_changed_by jsonb,
  token_hash      text           NOT NULL,
  hint            text           NOT NULL,
  created_at      timestamptz(3) NOT NULL,
  created_by      jsonb,
  rotated_at      timestamptz(3),
  rotated_by      jsonb,
  disabled_at     timestamptz(3),
  disabled_by     jsonb,
  revision        integer        NOT NULL
);

CREATE INDEX operators_by_token ON read_models.operators (token_hash);

-- Who did it, as `{kind, id}`. Null for events of early releases, and for rows that no replay has rebuilt since.
ALTER TABLE read_models.api_keys
  ADD COLUMN created_by jsonb,
  ADD COLUMN rotated_by jsonb,
  ADD COLUMN revoked_by jsonb;
