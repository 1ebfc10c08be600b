-- What long streams amount to up to one of their events, so that nobody has to read them from the first one. Rows can be
-- deleted at any time: they are made again from the events. A state is a few kilobytes and large by exception, and is
-- never searched; what Postgres would save by compressing it is not worth the time.
CREATE TABLE event_store.snapshots (
  stream text COLLATE "C" PRIMARY KEY,
  revision integer NOT NULL CHECK (revision >= 0),
  hash text COLLATE "C" NOT NULL,
  state_version integer NOT NULL,
  state bytea NOT NULL
);
ALTER TABLE event_store.snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
