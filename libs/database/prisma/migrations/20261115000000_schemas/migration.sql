-- The event store holds the truth; read models are made from it and may be dropped and rebuilt at any time.
CREATE SCHEMA event_store;
CREATE SCHEMA read_models;
