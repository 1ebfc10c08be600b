-- Webhook events in a compact form (ADR 52): about operations, cards, transactions and invoices. Events of earlier releases,
-- events with personal data and events whose id a request determines stay in webhooks.events.
CREATE TYPE webhooks.environment AS ENUM ('sandbox', 'live');
CREATE TYPE webhooks.compact_event_type AS ENUM (
  'operation.queued', 'operation.completed', 'operation.failed', 'operation.manual_review',
  'invoice.pending', 'invoice.completed', 'invoice.expired', 'invoice.failed', 'invoice.manual_review',
  'card.created', 'card.updated', 'transaction.created', 'transaction.updated'
);

-- `id` starts with the time of the event (a version 7 UUID), so the key is also the order of lists. `object` is a JSON text in the
-- format of compact-json.ts. Columns are ordered by alignment.
CREATE TABLE webhooks.compact_events (
  company_id     uuid                        NOT NULL,
  id             uuid                        NOT NULL,
  object_id      uuid                        NOT NULL,
  position       bigint                      NOT NULL,
  environment    webhooks.environment        NOT NULL,
  type           webhooks.compact_event_type NOT NULL,
  object_version integer                     NOT NULL,
  object         bytea                       NOT NULL,
  -- The type lets a list of one type skip the others without fetching them, and fits into the padding.
  PRIMARY KEY (company_id, environment, id, type)
);

-- The newest event of an object, which the next one is derived from. No event follows the excluded ones.
CREATE UNIQUE INDEX compact_events_by_object ON webhooks.compact_events (object_id, position)
  WHERE type NOT IN ('operation.completed', 'operation.failed');

CREATE FUNCTION webhooks.compact_event_id(id uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 'evt_' || replace(id::text, '-', '');

CREATE FUNCTION webhooks.compact_event_time(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0::double precision);

-- The objects of purged compact events stay compact.
ALTER TABLE webhooks.objects ALTER COLUMN object DROP NOT NULL, ADD COLUMN compact bytea,
  ADD CONSTRAINT object_in_one_form CHECK (num_nonnulls(object, compact) = 1) NOT VALID;
