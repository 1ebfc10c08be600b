-- Streams that a subscription skips, because this release cannot read one of their events (ADR 51). A row changes in the same
-- transaction as the checkpoint or the rows of the read model.
CREATE TABLE event_store.set_aside_streams (
  subscription   text COLLATE "C" NOT NULL REFERENCES event_store.subscriptions (name),
  stream         text COLLATE "C" NOT NULL,
  -- Where processing has to continue.
  position       bigint NOT NULL,
  revision       integer NOT NULL,
  -- The event that could not be processed.
  type           text NOT NULL,
  schema_version integer NOT NULL,
  reason         text NOT NULL,
  since          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subscription, stream)
);
