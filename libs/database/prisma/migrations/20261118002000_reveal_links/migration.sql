-- Single-use addresses of the sandbox page with the details of a card. Valid for a minute, so that nothing is lost with the table.
CREATE UNLOGGED TABLE gateway.reveal_links (
  -- SHA-256 of the token in the address.
  token_hash text        PRIMARY KEY,
  card_id    uuid        NOT NULL,
  last4      text        NOT NULL,
  expires_at timestamptz NOT NULL
);
