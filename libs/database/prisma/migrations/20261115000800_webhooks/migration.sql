-- What companies are told of by themselves: the events, who wants them, and how each delivery stands. The first two are made
-- from the event log. How deliveries went is told by no event, so these tables cannot be made again and are never emptied.
CREATE SCHEMA webhooks;

-- `body` is what is sent, to the letter: what a receiver got once, it gets again with every repeat. An event of the log can
-- tell of two objects, so `position` is not unique; it is with the object.
CREATE TABLE webhooks.events (
  id             text COLLATE "C" PRIMARY KEY,
  company_id     uuid             NOT NULL,
  environment    text             NOT NULL,
  type           text COLLATE "C" NOT NULL,
  object_id      uuid             NOT NULL,
  object_version integer          NOT NULL,
  body           text             NOT NULL,
  created_at     timestamptz(3)   NOT NULL,
  position       bigint           NOT NULL
);

-- Read backwards. The type at its end lets a list of one type pass over the others without fetching them.
CREATE INDEX events_by_company ON webhooks.events (company_id, environment, created_at, id, type);
-- The newest event of an object, which the next one is derived from; at a rebuild, the newest before a position.
CREATE UNIQUE INDEX events_by_object ON webhooks.events (object_id, position);

-- `revision` is that of the last event shown. A deleted endpoint leaves its row behind, for the log of its deliveries.
CREATE TABLE webhooks.endpoints (
  id              uuid           PRIMARY KEY,
  account_id      text           NOT NULL,
  company_id      uuid           NOT NULL,
  environment     text           NOT NULL,
  url             text           NOT NULL,
  -- All of them where it is NULL.
  events          text[],
  description     text,
  status          text           NOT NULL,
  disabled_reason text,
  -- Which secrets sign: [{"id": uuid, "until": time}], the newest first, which has no end.
  secrets         jsonb          NOT NULL,
  created_at      timestamptz(3) NOT NULL,
  deleted         boolean        NOT NULL,
  revision        integer        NOT NULL
);

CREATE INDEX endpoints_by_account ON webhooks.endpoints (account_id, created_at, id);

-- A delivery is claimed until a time by whoever sends it; when that time passes without news, anybody may send it again.
-- Rows are written again with every claim and every attempt, so pages keep room for the next version of each.
CREATE TABLE webhooks.deliveries (
  id               uuid             PRIMARY KEY,
  event_id         text COLLATE "C" NOT NULL,
  endpoint_id      uuid             NOT NULL,
  company_id       uuid             NOT NULL,
  environment      text             NOT NULL,
  status           text             NOT NULL DEFAULT 'pending'
                   CHECK (status IN ('pending', 'delivered', 'failed', 'cancelled')),
  attempts         integer          NOT NULL DEFAULT 0,
  -- When it is due. It means nothing once the delivery is not pending any more.
  next_attempt_at  timestamptz(3)   NOT NULL,
  claimed_until    timestamptz(3),
  claimed_by       text,
  first_attempt_at timestamptz(3),
  last_attempt_at  timestamptz(3),
  last_status_code integer,
  last_duration_ms integer,
  last_error       text,
  created_at       timestamptz(3)   NOT NULL
) WITH (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);

-- Which endpoints have something due, the longest-waiting first, and when the next one will be.
CREATE INDEX deliveries_due ON webhooks.deliveries (next_attempt_at, endpoint_id) WHERE status = 'pending';
-- What is due at one endpoint: one that hangs cannot hide the others behind its backlog.
CREATE INDEX deliveries_due_by_endpoint ON webhooks.deliveries (endpoint_id, next_attempt_at) WHERE status = 'pending';
-- The log of one endpoint, read backwards; the status at its end lets a list of the failed ones pass over the others.
CREATE INDEX deliveries_by_endpoint ON webhooks.deliveries (endpoint_id, created_at, id, status);

-- Attempts that were not acknowledged. The one that was ends a delivery, and stands in its row.
CREATE TABLE webhooks.attempts (
  delivery_id uuid           NOT NULL,
  number      integer        NOT NULL,
  at          timestamptz(3) NOT NULL,
  duration_ms integer        NOT NULL,
  status_code integer,
  outcome     text           NOT NULL CHECK (outcome IN ('refused', 'unreachable', 'forbidden')),
  error       text,
  -- The beginning of what the receiver said.
  excerpt     text           CHECK (octet_length(excerpt) <= 1024),
  PRIMARY KEY (delivery_id, number)
);

-- Since when an endpoint has acknowledged nothing; `failing_since` is NULL while all is well.
CREATE TABLE webhooks.endpoint_health (
  endpoint_id     uuid           PRIMARY KEY,
  failing_since   timestamptz(3),
  last_success_at timestamptz(3)
) WITH (fillfactor = 50);

-- How far the log has led to deliveries. Whatever is read again up to here sends nothing a second time.
CREATE TABLE webhooks.sent_up_to (
  the_only_row boolean PRIMARY KEY DEFAULT true CHECK (the_only_row),
  position     bigint  NOT NULL
) WITH (fillfactor = 10);

INSERT INTO webhooks.sent_up_to (position) VALUES (0);

-- What deliveries are signed with. Whoever holds a secret can speak in our name to that endpoint, so they stand outside the
-- log and can be forgotten.
CREATE TABLE vault.webhook_secrets (
  secret_id   uuid           PRIMARY KEY,
  endpoint_id uuid           NOT NULL,
  secret      text           NOT NULL,
  created_at  timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX webhook_secrets_by_endpoint ON vault.webhook_secrets (endpoint_id);
