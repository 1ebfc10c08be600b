-- Accepted requests with an Idempotency-Key, of aggregates that remember only their newest requests.
CREATE TABLE read_models.accepted_requests (
  id          uuid PRIMARY KEY,
  -- Null if the id identifies the whole request.
  fingerprint text,
  -- What the response needs in addition to the current data.
  reply       jsonb
);
