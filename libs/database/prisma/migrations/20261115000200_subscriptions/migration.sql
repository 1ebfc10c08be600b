-- Who reads the events, and how far each of them has got. The number is the subscription's name among advisory locks,
-- where a text would have to be hashed and two could then be taken for one another.
CREATE TABLE event_store.subscriptions (
  name text COLLATE "C" PRIMARY KEY,
  number integer NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
  shard_count integer NOT NULL CHECK (shard_count > 0)
);

-- The epoch grows each time a shard changes hands; a checkpoint is only moved by the holder of the newest epoch. The
-- table stays tiny and its rows change all the time, so pages keep room for the next version of each row.
CREATE TABLE event_store.subscription_shards (
  subscription text COLLATE "C" NOT NULL REFERENCES event_store.subscriptions (name),
  shard integer NOT NULL,
  epoch integer NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription, shard)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 1000);

-- Moves a checkpoint forward for the holder of this epoch, and tells whether it moved. It has not moved when it stood there
-- already: then the very same step was committed before, although its answer got lost, and must not be done a second time.
--
-- The transaction need not wait for the disk. A crash of the server may take the last checkpoints back, but with them goes
-- all that was written in the same transactions, and the events are delivered again.
CREATE FUNCTION event_store.move_checkpoint(
  of_subscription text, of_shard integer, of_epoch integer, to_position bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE event_store.subscription_shards
    SET position = to_position
    WHERE subscription = of_subscription AND shard = of_shard AND epoch = of_epoch AND position < to_position;
  IF FOUND THEN
    RETURN true;
  END IF;
  PERFORM FROM event_store.subscription_shards
    WHERE subscription = of_subscription AND shard = of_shard AND epoch = of_epoch;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'shard % of subscription % is held by another replica now', of_shard, of_subscription
      USING ERRCODE = 'FL002';
  END IF;
  RETURN false;
END $$;
