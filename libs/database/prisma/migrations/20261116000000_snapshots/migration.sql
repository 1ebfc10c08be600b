-- What long streams amount to up to one of their events, so that nobody has to read them from the first one. Rows can be
-- deleted at any time: they are made again from the events. A state is kilobytes to some megabytes that nobody searches;
-- what Postgres would save by compressing it is not worth the time.
CREATE TABLE event_store.snapshots (
  stream text COLLATE "C" PRIMARY KEY,
  revision integer NOT NULL CHECK (revision >= 0),
  hash text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  state bytea NOT NULL,
  digest text COLLATE "C" NOT NULL
);
ALTER TABLE event_store.snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
