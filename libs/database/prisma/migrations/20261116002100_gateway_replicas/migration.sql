-- The gateways that run now, and what they have granted to busy companies lately, for rate limits that all gateways share.
-- Every gateway writes its row up to four times a second, and nothing is lost with the table: it needs no log.
CREATE UNLOGGED TABLE gateway.replicas (
  replica_id uuid        PRIMARY KEY,
  seen_at    timestamptz NOT NULL,
  -- Tokens by company, environment and policy.
  spent      jsonb       NOT NULL
) WITH (fillfactor = 50);
