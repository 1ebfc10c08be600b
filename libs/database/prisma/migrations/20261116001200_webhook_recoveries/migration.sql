-- Recoveries of webhook endpoints that are in progress, at most one per endpoint. The events after the cursor
-- (`after_time`, `after_id`) and before `until_position` are still to be checked; an empty `after_id` means that no step was
-- made. `again_since` is set by a request for events before the cursor: the recovery starts again there at its end.
CREATE TABLE webhooks.recoveries (
  endpoint_id    uuid             PRIMARY KEY,
  after_time     timestamptz(3)   NOT NULL,
  after_id       text COLLATE "C" NOT NULL DEFAULT '',
  until_position bigint           NOT NULL,
  again_since    timestamptz(3),
  next_step_at   timestamptz(3)   NOT NULL
) WITH (fillfactor = 50);

-- The order of the steps.
CREATE INDEX recoveries_by_next_step ON webhooks.recoveries (next_step_at, endpoint_id);

-- Deliveries by a resend or a recovery. All others were created with their event, at the same time, so that they are found by it.
ALTER TABLE webhooks.deliveries ADD COLUMN resent boolean NOT NULL DEFAULT false;
UPDATE webhooks.deliveries d SET resent = true
FROM webhooks.events e WHERE e.id = d.event_id AND e.created_at <> d.created_at;
CREATE INDEX deliveries_resent ON webhooks.deliveries (event_id, endpoint_id) WHERE resent;

-- Pending deliveries by a recovery, whose number per endpoint is limited.
ALTER TABLE webhooks.due ADD COLUMN recovered boolean NOT NULL DEFAULT false;
CREATE INDEX due_recovered ON webhooks.due (endpoint_id) WHERE recovered;
