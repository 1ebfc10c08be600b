-- Rebuilds of read models beside the live ones (ADR 48). The role that projects owns no tables, so functions with the rights
-- of the owner create, switch and drop them. They accept only the schemas of replays and tables that read_models has.
CREATE SCHEMA replay;

-- How far the tables in a schema are built. A batch of rows moves its position in the same transaction. `run` fences off a
-- replay whose lock was lost; another release starts again, because its projections may differ.
CREATE TABLE replay.progress (
  target     text COLLATE "C" NOT NULL,
  projection text COLLATE "C" NOT NULL,
  position   bigint NOT NULL DEFAULT 0,
  release    text NOT NULL,
  run        uuid NOT NULL,
  PRIMARY KEY (target, projection)
);

CREATE FUNCTION replay.check_target(target text, tables text[]) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF target IS NULL OR target !~ '^read_models_(next|old|at_[0-9]{1,19})$' THEN
    RAISE EXCEPTION 'The schema % does not belong to a replay', target;
  END IF;
  IF EXISTS (SELECT FROM unnest(tables) AS name WHERE to_regclass(format('read_models.%I', name)) IS NULL) THEN
    RAISE EXCEPTION 'Only tables of read_models can be replayed';
  END IF;
END $$;

-- The indexes of a table that belong to no constraint, without the schema, in the order of their names.
CREATE FUNCTION replay.indexes(target text, name text) RETURNS text[]
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT ARRAY(
    SELECT replace(pg_get_indexdef(indexrelid), format(' ON %I.', target), ' ON ') FROM pg_index
    WHERE indrelid = to_regclass(format('%I.%I', target, name))
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    ORDER BY 1)
$$;

-- Everything else about a table that queries, projections and later migrations rely on, as text that is equal for equal tables.
CREATE FUNCTION replay.structure(target text, name text) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH known AS (SELECT to_regclass(format('%I.%I', target, name)) AS oid)
  SELECT concat_ws(E'\n',
    (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
       attcollation::regcollation, pg_get_expr(adbin, adrelid)), E'\n' ORDER BY attnum)
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = known.oid AND attnum > 0 AND NOT attisdropped),
    (SELECT string_agg(concat_ws(' ', conname, pg_get_constraintdef(pg_constraint.oid)), E'\n' ORDER BY conname)
     FROM pg_constraint WHERE conrelid = known.oid AND contype IN ('p', 'u', 'x', 'c')),
    (SELECT concat_ws(' ', relowner::regrole, relpersistence, array_to_string(reloptions, ',')) FROM pg_class
     WHERE pg_class.oid = known.oid),
    (SELECT string_agg(concat_ws(' ', grantee::regrole, privilege_type), E'\n' ORDER BY grantee, privilege_type)
     FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = known.oid AND grantee <> relowner)
  ) FROM known
$$;

CREATE FUNCTION replay.create_table(target text, name text) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  live regclass := to_regclass(format('read_models.%I', name));
  created text := format('%I.%I', target, name);
  statement text;
BEGIN
  -- LIKE invents names for indexes. Later migrations know the real ones, so indexes are created from their definitions; those
  -- without a constraint at the end, when it takes less time.
  EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES)', created, live);
  FOR statement IN
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', created, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE conrelid = live AND contype IN ('p', 'u', 'x')
    UNION ALL
    SELECT format('ALTER TABLE %s SET (%s)', created, array_to_string(reloptions, ', '))
    FROM pg_class WHERE oid = live AND reloptions IS NOT NULL
    UNION ALL
    SELECT format('ALTER TABLE %s OWNER TO %s', created, relowner::regrole) FROM pg_class WHERE oid = live
    UNION ALL
    SELECT format('GRANT %s ON %s TO %s', privilege_type, created,
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
    FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = live AND grantee <> relowner
    UNION ALL
    -- Only writers of the live table may enter the schema: no service reads a table that is being built.
    SELECT format('GRANT USAGE ON SCHEMA %I TO %s', target, grantee::regrole)
    FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = live AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner)
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;

CREATE FUNCTION replay.create_tables(target text, tables text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM replay.check_target(target, tables);
  EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', target);
  PERFORM replay.create_table(target, name) FROM unnest(tables) AS name;
END $$;

-- Creates the indexes that the tables lack.
CREATE FUNCTION replay.index_tables(target text, tables text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET maintenance_work_mem = '256MB' AS $$
DECLARE
  name text;
  index text;
BEGIN
  PERFORM replay.check_target(target, tables);
  FOREACH name IN ARRAY tables LOOP
    FOR index IN SELECT unnest(replay.indexes('read_models', name)) EXCEPT SELECT unnest(replay.indexes(target, name)) LOOP
      EXECUTE replace(index, format(' ON %I ', name), format(' ON %I.%I ', target, name));
    END LOOP;
  END LOOP;
END $$;

-- Whether the tables exist and equal the live ones, apart from indexes that are still to be created. A migration may have changed those meanwhile.
CREATE FUNCTION replay.has_tables(target text, tables text[]) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(bool_and(to_regclass(format('%I.%I', target, name)) IS NOT NULL
    AND replay.structure(target, name) = replay.structure('read_models', name)
    AND replay.indexes(target, name) <@ replay.indexes('read_models', name)), true)
  FROM unnest(tables) AS name
$$;

-- Without statistics, the first queries after the switch would have bad plans.
CREATE FUNCTION replay.analyze_tables(target text, tables text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name text;
BEGIN
  PERFORM replay.check_target(target, tables);
  FOREACH name IN ARRAY tables LOOP
    EXECUTE format('ANALYZE %I.%I', target, name);
  END LOOP;
END $$;

-- Drops those of the tables that exist, and returns their names.
CREATE FUNCTION replay.drop_tables(target text, tables text[]) RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dropped text[] := ARRAY(SELECT name FROM unnest(tables) AS name WHERE to_regclass(format('%I.%I', target, name)) IS NOT NULL);
  name text;
BEGIN
  PERFORM replay.check_target(target, tables);
  FOREACH name IN ARRAY dropped LOOP
    EXECUTE format('DROP TABLE %I.%I', target, name);
  END LOOP;
  IF to_regnamespace(target) IS NOT NULL
    AND NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(target)) THEN
    EXECUTE format('DROP SCHEMA %I', target);
  END IF;
  RETURN dropped;
END $$;

-- Replaces live tables by rebuilt ones. The old ones go to read_models_old, except the `discarded` ones, which are dropped.
CREATE FUNCTION replay.switch_tables(tables text[], discarded text[], lock_timeout_ms integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name text;
  deadline timestamptz := clock_timestamp() + lock_timeout_ms * interval '1 millisecond';
BEGIN
  PERFORM replay.check_target('read_models_next', tables || discarded);
  FOREACH name IN ARRAY tables LOOP
    -- Reads queue behind a waiting lock, so it times out soon and the replay tries again.
    PERFORM set_config('lock_timeout', greatest(1, extract(epoch FROM deadline - clock_timestamp()) * 1000)::integer::text, true);
    EXECUTE format('LOCK TABLE read_models.%I, read_models_next.%I IN ACCESS EXCLUSIVE MODE', name, name);
  END LOOP;
  IF NOT replay.has_tables('read_models_next', tables) OR EXISTS (
    SELECT FROM unnest(tables) AS rebuilt
    WHERE replay.indexes('read_models_next', rebuilt) <> replay.indexes('read_models', rebuilt)
  ) THEN
    RAISE EXCEPTION 'A migration has changed the read models since they were rebuilt' USING ERRCODE = 'FL003';
  END IF;
  CREATE SCHEMA IF NOT EXISTS read_models_old;
  FOREACH name IN ARRAY tables LOOP
    EXECUTE format('ALTER TABLE read_models.%I SET SCHEMA read_models_old', name);
    EXECUTE format('ALTER TABLE read_models_next.%I SET SCHEMA read_models', name);
  END LOOP;
  PERFORM replay.drop_tables('read_models_old', discarded);
  PERFORM replay.drop_tables('read_models_next', tables);
  PERFORM replay.drop_tables('read_models_old', ARRAY[]::text[]);
END $$;
