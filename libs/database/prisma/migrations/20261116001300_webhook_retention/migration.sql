-- The objects of purged webhook events, each as of its newest one, whose position it has. The next event about the object is
-- derived from it. Objects that cannot change any more are not kept.
CREATE TABLE webhooks.objects (
  object_id   uuid    PRIMARY KEY,
  company_id  uuid    NOT NULL,
  environment text    NOT NULL,
  version     integer NOT NULL,
  object      text    NOT NULL,
  position    bigint  NOT NULL
);
