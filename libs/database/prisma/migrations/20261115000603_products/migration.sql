-- What can be ordered, and at what price. The amount is cents; `revision` is that of the last event shown.
CREATE TABLE read_models.products (
  id             text    PRIMARY KEY,
  kind           text    NOT NULL,
  name           text    NOT NULL,
  currency       text    NOT NULL,
  fee            jsonb   NOT NULL,
  minimum_amount bigint  NOT NULL,
  available      boolean NOT NULL,
  revision       integer NOT NULL
);
