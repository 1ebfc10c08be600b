-- Who may use the service: companies, their API keys and the secrets that open them. No table refers to another by a
-- constraint, because each is filled from event streams of its own.
CREATE TABLE read_models.companies (
  company_id   uuid           PRIMARY KEY,
  name         text           NOT NULL,
  kind         text           NOT NULL,
  verification text           NOT NULL,
  activations  text[]         NOT NULL,
  created_at   timestamptz(3) NOT NULL
);

CREATE TABLE read_models.api_keys (
  key_id      uuid           PRIMARY KEY,
  company_id  uuid           NOT NULL,
  environment text           NOT NULL,
  name        text           NOT NULL,
  scopes      text[]         NOT NULL,
  hint        text           NOT NULL,
  issued_at   timestamptz(3) NOT NULL,
  expires_at  timestamptz(3) NOT NULL,
  revoked_at  timestamptz(3)
);

CREATE INDEX api_keys_by_company ON read_models.api_keys (company_id, issued_at);

-- Only the SHA-256 of a secret is known. A rotated key has several, each good until its own time.
CREATE TABLE read_models.api_key_secrets (
  secret_hash text           PRIMARY KEY,
  key_id      uuid           NOT NULL,
  valid_until timestamptz(3) NOT NULL
);

CREATE INDEX api_key_secrets_by_key ON read_models.api_key_secrets (key_id);

-- What the gateway notes by itself. It cannot be made again from the events, so it stands apart from the read models.
CREATE SCHEMA IF NOT EXISTS gateway;

CREATE TABLE gateway.api_key_usage (
  key_id       uuid           PRIMARY KEY,
  last_used_at timestamptz(3) NOT NULL
);
