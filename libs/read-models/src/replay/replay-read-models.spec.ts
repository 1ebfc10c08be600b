import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import type { CompanyEvent } from '@florin/companies-domain';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { catchUp, type Position, Progress, runProjection, scanLog } from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import { EventStoreDbEventStore } from '@florin/event-store-eventstoredb';
import { FakeEventStoreDb } from '@florin/event-store-eventstoredb/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { randomId } from '@florin/kernel';
import { testVaultKeys, until } from '@florin/kernel/testing';
import type { Pool } from 'pg';
import { allProjections, readModels as createReadModels } from '../all-projections';
import { acme, acmeKey, history, record } from '../companies/testing/history';
import { companiesProjection } from '../companies/companies.projection';
import { ReadModelsComparison } from '../comparison/read-models-comparison';
import { replayPart } from './advance-builds';
import { ReplayInProgress, withReplayLock } from './replay-lock';
import type { PartProgress, ReplayWorker } from './replay-parts';
import { buildReadModelsAt, dropReplayedTables, OldTablesExist, replayReadModels } from './replay-read-models';
import type { ReplayRuntime } from './replay-runtime';
import { nextSchema, ReplayTakenOver, ReplayTables, schemaAt } from './replay-tables';

jest.setTimeout(60_000);

let database: TestDatabase;
let pool: Pool;
let store: PostgresEventStore;
let checkpoints: PostgresCheckpointStore;
let runtime: ReplayRuntime;

const readModels = createReadModels(testVaultKeys);
const companies = readModels.filter(({ projection }) => projection === companiesProjection);
const tables = ['companies', 'api_keys', 'api_key_secrets'];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  // Small pages, so that a replay has many steps.
  store = new PostgresEventStore(database.connection, { pageSize: 3 });
  checkpoints = new PostgresCheckpointStore(database.connectionAs('projector'));
  const connection = database.connectionAs('projector');
  runtime = { connection, store, checkpoints, shardCount: 1, release: '1' };
  for (const { stream, revision, ...event } of record(history)) await store.append(stream, revision - 1, [event]);
  await catchUp(companiesProjection, subscribing(checkpoints), await store.head(), { shardCount: 2 });
  await pool.query('INSERT INTO gateway.api_key_usage VALUES ($1, now())', [acmeKey]);
});

afterEach(async () => {
  await Promise.all([store.close(), checkpoints.close(), pool.end()]);
  await database.drop();
});

function subscribing(through: PostgresCheckpointStore) {
  return { store, checkpoints: through, isTransient: () => false, log: silentLog, progress: new Progress() };
}

const names = async (schema: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
    [schema],
  );
  return rows.map(({ name }) => name);
};

function rowsIn(schema: string, from = pool): Promise<readonly unknown[]> {
  return Promise.all(
    tables.map(async (table) => (await from.query(`SELECT * FROM ${schema}.${table} ORDER BY 1`)).rows),
  );
}

const liveRows = () => rowsIn('read_models');
const usage = async () => (await pool.query('SELECT * FROM gateway.api_key_usage')).rows as readonly unknown[];

/** The rows of a database that projects the log for the first time. */
async function freshRows(): Promise<readonly unknown[]> {
  const other = await createTestDatabase();
  const own = new PostgresCheckpointStore(other.connection);
  const ownPool = createPool(other.connection);
  try {
    await catchUp(companiesProjection, subscribing(own), await store.head());
    return await rowsIn('read_models', ownPool);
  } finally {
    await Promise.all([own.close(), ownPool.end()]);
    await other.drop();
  }
}

/** What migrations, queries and roles rely on. */
async function structure(): Promise<readonly unknown[]> {
  const { rows } = await pool.query(`
    SELECT c.relname, c.relkind, c.reloptions, c.relowner::regrole::text, array(
        SELECT acl::text FROM unnest(c.relacl) AS acl ORDER BY 1) AS acl,
      CASE c.relkind WHEN 'i' THEN pg_get_indexdef(c.oid) END AS index,
      array(SELECT concat_ws(' ', conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = c.oid ORDER BY 1) AS constraints,
      array(SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attgenerated, pg_get_expr(adbin, adrelid))
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum) AS columns
    FROM pg_class AS c WHERE relnamespace = 'read_models'::regnamespace ORDER BY 1`);
  return rows;
}

/** The store, which fails once this position is read. */
const failingAt = (position: Position, fail: () => void) => ({
  head: () => store.head(),
  readAll: async (query: Parameters<typeof store.readAll>[0]) => {
    const page = await store.readAll(query);
    if (page.readTo >= position) fail();
    return page;
  },
});

describe('The read models', () => {
  it('cover all tables of their schema', async () => {
    const owned = readModels.flatMap((readModel) => readModel.tables);
    expect([...owned].sort()).toEqual(await names('read_models'));
  });

  it('are all projections except webhooks', () => {
    const projections = readModels.map(({ projection }) => projection.name);
    expect(allProjections(testVaultKeys).map(({ name }) => name)).toEqual([...projections, 'webhooks']);
  });

  it('have nothing that a replay does not copy', async () => {
    const { rows } = await pool.query(`
      SELECT c.relname FROM pg_class AS c WHERE relnamespace = 'read_models'::regnamespace AND (relkind NOT IN ('r', 'i')
        OR relrowsecurity OR relhastriggers OR relispartition OR relhasrules OR relreplident NOT IN ('d', 'n')
        OR EXISTS (SELECT FROM pg_statistic_ext WHERE stxrelid = c.oid)
        OR EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND c.oid IN (conrelid, confrelid))
        OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND (attacl IS NOT NULL OR attidentity <> ''))
        OR EXISTS (SELECT FROM pg_depend JOIN pg_rewrite ON pg_rewrite.oid = objid WHERE refobjid = c.oid))`);
    expect(rows).toEqual([]);
  });
});

describe('A replay', () => {
  it('restores the same rows over any content, and keeps data that is not in the log', async () => {
    const [before, used] = [await liveRows(), await usage()];
    await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
    await pool.query('DELETE FROM read_models.api_key_secrets');
    await pool.query(`INSERT INTO read_models.api_key_secrets VALUES ('forged', $1, now())`, [acmeKey]);
    const [replayed, ...others] = await replayReadModels(companies, runtime);
    expect(replayed).toMatchObject({ name: 'companies', events: history.length });
    expect(others).toEqual([]);
    expect(await liveRows()).toEqual(before);
    expect(await usage()).toEqual(used);
  });

  it('rebuilds all read models, including new ones, and leaves them ready to run', async () => {
    const before = await liveRows();
    const replayed = await replayReadModels(readModels, runtime);
    expect(replayed.map(({ name }) => name)).toEqual(readModels.map(({ projection }) => projection.name));
    expect(await liveRows()).toEqual(before);
    const head = await store.head();
    for (const { projection } of readModels) expect(await checkpoints.position(projection.name)).toBe(head);
    const { rows } = await pool.query(`SELECT FROM event_store.subscriptions WHERE name LIKE 'process %'`);
    expect(rows).toEqual([]);
  });

  it('keeps columns, indexes, constraints, settings and rights of the tables with their names', async () => {
    const before = await structure();
    await replayReadModels(readModels, runtime);
    expect(await structure()).toEqual(before);
  });

  it('keeps the old tables until they are dropped, except those with personal data, and no role can enter them', async () => {
    await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
    const forged = await liveRows();
    await replayReadModels(readModels, runtime);
    const kept = readModels.filter(({ hasPersonalData }) => !hasPersonalData).flatMap((readModel) => readModel.tables);
    expect(await names('read_models_old')).toEqual([...kept].sort());
    expect(kept).not.toContain('holders');
    expect(await rowsIn('read_models_old')).toEqual(forged);
    expect(await names(nextSchema)).toEqual([]);
    const { rows } = await pool.query(
      `SELECT rolname FROM pg_roles WHERE rolname LIKE 'florin\\_%' AND has_schema_privilege(oid, 'read_models_old', 'USAGE')`,
    );
    expect(rows).toEqual([]);
    const before = await liveRows();
    await expect(replayReadModels(companies, runtime)).rejects.toThrow(
      new OldTablesExist(['api_key_secrets', 'api_keys', 'companies'].map((table) => `read_models_old.${table}`)),
    );
    expect(await names(nextSchema)).toEqual([]);
    expect(await dropReplayedTables(companies, runtime.connection)).toEqual(
      tables.map((table) => `read_models_old.${table}`),
    );
    await replayReadModels(companies, runtime);
    await dropReplayedTables(readModels, runtime.connection);
    expect(await names('read_models_old')).toEqual([]);
    expect(await liveRows()).toEqual(before);
  });

  it('keeps the accepted requests, so that no gateway executes one again', async () => {
    const values = [randomId(), 'of the request'];
    await pool.query('INSERT INTO read_models.accepted_requests (id, fingerprint) VALUES ($1, $2)', values);
    await replayReadModels(readModels, runtime);
    const { rows } = await pool.query('SELECT id, fingerprint FROM read_models.accepted_requests');
    expect(rows).toEqual([{ id: values[0], fingerprint: values[1] }]);
  });

  it('creates new shards for a read model without checkpoints', async () => {
    const before = await liveRows();
    const shards = `SELECT FROM event_store.subscription_shards WHERE subscription = 'companies'`;
    expect((await pool.query(shards)).rowCount).toBe(2);
    await pool.query(`DELETE FROM event_store.subscription_shards WHERE subscription = 'companies'`);
    await pool.query(`DELETE FROM event_store.subscriptions WHERE name = 'companies'`);
    await replayReadModels(companies, { ...runtime, shardCount: 3 });
    expect((await pool.query(shards)).rowCount).toBe(3);
    expect(await liveRows()).toEqual(before);
  });

  it('is rejected while another one runs, and changes nothing', async () => {
    const before = await liveRows();
    await withReplayLock(runtime.connection, async () => {
      await expect(replayReadModels(companies, runtime)).rejects.toThrow(new ReplayInProgress());
      await expect(dropReplayedTables(companies, runtime.connection)).rejects.toThrow(new ReplayInProgress());
    });
    expect(await names(nextSchema)).toEqual([]);
    expect(await liveRows()).toEqual(before);
  });

  it('rebuilds read models of a log in EventStoreDB, whose positions have gaps', async () => {
    const server = await FakeEventStoreDb.start();
    const elsewhere = new EventStoreDbEventStore(server.url, { pageSize: 3 });
    try {
      for (const { stream, revision, ...event } of record(history)) {
        await elsewhere.append(`other-${randomId()}`, -1, [{ ...event, id: randomId() }]);
        await elsewhere.append(stream, revision - 1, [event]);
      }
      await pool.query(`UPDATE event_store.subscription_shards SET position = 0`);
      const subscription = { ...subscribing(checkpoints), store: elsewhere };
      await catchUp(companiesProjection, subscription, await elsewhere.head());
      const before = await liveRows();
      await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
      const [replayed] = await replayReadModels(companies, { ...runtime, store: elsewhere });
      expect(replayed!.events).toBe(history.length);
      expect(await liveRows()).toEqual(before);
    } finally {
      await elsewhere.close();
      await server.stop();
    }
  });

  it('reports events per second and how much is left', async () => {
    const reported: unknown[] = [];
    const slow = {
      head: () => store.head(),
      readAll: async (query: Parameters<typeof store.readAll>[0]) => {
        const page = await store.readAll(query);
        if (reported.length === 0 && page.readTo > 3n) await until(() => reported.length > 0);
        return page;
      },
    };
    await replayReadModels(companies, { ...runtime, store: slow, report: (progress) => reported.push(progress) });
    const number = expect.any(Number) as number;
    expect(reported[0]).toEqual({
      events: 3,
      eventsPerSecond: number,
      completed: 3 / history.length,
      secondsLeft: number,
    });
  });
});

describe('A replay beside running projectors', () => {
  const change = (companyId: string, revision: number): CompanyEvent =>
    revision === 0
      ? { type: 'CompanyRegistered', data: { companyId, name: `Company ${companyId}`, kind: 'corporate' } }
      : { type: 'VerificationChanged', data: { companyId, status: revision % 2 === 0 ? 'rejected' : 'approved' } };

  /** Two projectors, a writer and a reader, until `work` is done. Returns how many companies were written. */
  async function whileBusy(work: () => Promise<void>): Promise<number> {
    const stores = [0, 1].map(() => new PostgresCheckpointStore(database.connectionAs('projector')));
    const projectors = stores.map((through) =>
      runProjection(companiesProjection, { ...subscribing(through), balanceEveryMs: 20 }, 2),
    );
    const gateway = createPool(database.connectionAs('gateway'));
    let isDone = false;
    let written = 0;
    const writing = (async () => {
      for (; !isDone; written++) {
        const companyId = randomId();
        const events = [0, 1, 2].map((revision) => record([change(companyId, revision)])[0]!);
        for (const [revision, { stream, id, type, data, metadata }] of events.entries()) {
          await store.append(stream, revision - 1, [{ id, type, data, metadata }]);
        }
      }
    })();
    const reading = (async () => {
      const text = 'SELECT count(*)::int AS count FROM read_models.companies';
      for (let seen = 0; !isDone;) {
        const { rows } = await gateway.query<{ count: number }>({ name: 'count', text });
        expect(rows[0]!.count).toBeGreaterThanOrEqual(seen);
        seen = rows[0]!.count;
      }
    })();
    try {
      await until(() => written > 5);
      await work();
      const atEnd = written;
      await until(() => written > atEnd + 5);
    } finally {
      isDone = true;
      await Promise.all([writing, reading]);
      const head = await store.head();
      await until(async () => (await checkpoints.position('companies')) >= head);
      expect(projectors.map((projector) => projector.status().state)).toEqual(['running', 'running']);
      await Promise.all(projectors.map((projector) => projector.stop()));
      await Promise.all([...stores.map((through) => through.close()), gateway.end()]);
    }
    return written;
  }

  it('replaces the tables while events are written and read, and loses none of them', async () => {
    const written = await whileBusy(async () => {
      for (let round = 0; round < 3; round++) {
        await pool.query(`UPDATE read_models.companies SET name = 'Forged' WHERE company_id = $1`, [acme]);
        await replayReadModels(companies, runtime);
        await dropReplayedTables(companies, runtime.connection);
      }
    });
    const rows = await liveRows();
    expect(rows[0]).toHaveLength(written + 2);
    expect(rows).toEqual(await freshRows());
  });

  it('waits for a long read, without blocking projectors and other reads', async () => {
    const reader = await pool.connect();
    await reader.query('BEGIN; SELECT FROM read_models.api_keys');
    let waits = 0;
    await whileBusy(async () => {
      const report = ({ isWaiting }: { readonly isWaiting?: true }): void => {
        if (isWaiting && ++waits === 2) void reader.query('COMMIT');
      };
      await replayReadModels(companies, { ...runtime, report });
    });
    reader.release();
    expect(waits).toBeGreaterThanOrEqual(2);
    expect(await liveRows()).toEqual(await freshRows());
  });

  it('waits for an audit, whose snapshot lacks the rows of the new tables', async () => {
    const comparison = await ReadModelsComparison.start(pool);
    await scanLog(store, (event) => comparison.add(event));
    let replaying: Promise<unknown> | undefined;
    const differences = await comparison.finish({
      readStream: (stream) => store.readStream(stream),
      head: async () => {
        // The snapshot exists by now.
        await new Promise<void>((resolve) => {
          const report = ({ isWaiting }: { readonly isWaiting?: true }): void => void (isWaiting && resolve());
          replaying = replayReadModels(companies, { ...runtime, report }).finally(resolve);
        });
        return store.head();
      },
      readAll: (query) => store.readAll(query),
    });
    expect(differences.flatMap(({ findings }) => findings)).toEqual([]);
    await replaying;
    expect(await names('read_models_old')).toEqual([...tables].sort());
  });

  it('moves the checkpoints of a projector that is behind, which then skips what the new tables contain', async () => {
    await pool.query(`UPDATE event_store.subscription_shards SET position = 2 WHERE subscription = 'companies'`);
    await pool.query('TRUNCATE read_models.companies, read_models.api_keys, read_models.api_key_secrets');
    await replayReadModels(companies, runtime);
    expect(await checkpoints.position('companies')).toBe(await store.head());
    expect(await liveRows()).toEqual(await freshRows());
  });
});

describe('An interrupted replay', () => {
  /** A store that fails when a position is read. */
  it.each([1n, 4n, 7n, 10n])('at position %s changes no live table, and the next one continues', async (position) => {
    await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
    const before = await liveRows();
    const interruption = new AbortController();
    const interrupted = replayReadModels(companies, {
      ...runtime,
      store: failingAt(position, () => interruption.abort(new Error('interrupted'))),
      signal: interruption.signal,
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    expect(await liveRows()).toEqual(before);
    const { rows } = await pool.query<{ position: string }>('SELECT position FROM replay.progress');
    const [replayed] = await replayReadModels(companies, runtime);
    expect(replayed!.events).toBe(history.length - Number(rows[0]!.position));
    expect(await liveRows()).toEqual(await freshRows());
  });

  it('whose connections are killed can be continued', async () => {
    const before = await liveRows();
    const kill = failingAt(7n, () => {
      throw new Error('killed');
    });
    const killed = replayReadModels(companies, {
      ...runtime,
      store: {
        ...kill,
        readAll: async (query) => {
          if (query.after >= 3n)
            await pool.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'florin-replay'`,
            );
          return kill.readAll(query);
        },
      },
    });
    await expect(killed).rejects.toThrow();
    expect(await liveRows()).toEqual(before);
    await replayReadModels(companies, runtime);
    expect(await liveRows()).toEqual(await freshRows());
  });

  it('before the switch is committed changes nothing, also not the checkpoints', async () => {
    await pool.query(`UPDATE event_store.subscription_shards SET position = 5 WHERE subscription = 'companies'`);
    const before = await liveRows();
    const crashing: ReplayRuntime['checkpoints'] = {
      whilePaused: (subscriptions, work) =>
        checkpoints.whilePaused(subscriptions, async (positions, tx) => {
          await work(positions, tx);
          const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
          await tx.query('SELECT');
          return positions;
        }),
    };
    await expect(replayReadModels(companies, { ...runtime, checkpoints: crashing })).rejects.toThrow();
    expect(await liveRows()).toEqual(before);
    expect(await names('read_models_old')).toEqual([]);
    expect(await checkpoints.position('companies')).toBe(5n);
    const [replayed] = await replayReadModels(companies, runtime);
    expect(replayed!.events).toBe(0);
    expect(await liveRows()).toEqual(await freshRows());
  });

  it('after the switch is committed has replaced the tables', async () => {
    await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
    const crashing: ReplayRuntime['checkpoints'] = {
      whilePaused: async (subscriptions, work) => {
        await checkpoints.whilePaused(subscriptions, work);
        throw new Error('killed');
      },
    };
    await expect(replayReadModels(companies, { ...runtime, checkpoints: crashing })).rejects.toThrow('killed');
    expect(await liveRows()).toEqual(await freshRows());
    expect(await names('read_models_old')).toEqual([...tables].sort());
    expect(await names(nextSchema)).toEqual([]);
  });

  async function interrupt(): Promise<void> {
    const stop = failingAt(7n, () => {
      throw new Error('interrupted');
    });
    await expect(replayReadModels(companies, { ...runtime, store: stop })).rejects.toThrow('interrupted');
  }

  it('starts over in another release, whose projections may differ', async () => {
    await interrupt();
    const [replayed] = await replayReadModels(companies, { ...runtime, release: '2' });
    expect(replayed!.events).toBe(history.length);
  });

  it('starts over after a migration', async () => {
    await interrupt();
    await pool.query('ALTER TABLE read_models.companies ADD COLUMN added text');
    const before = await structure();
    const [replayed] = await replayReadModels(companies, runtime);
    expect(replayed!.events).toBe(history.length);
    expect(await structure()).toEqual(before);
  });

  it('creates an index that a migration has added, and starts over if it has an index that was dropped', async () => {
    await interrupt();
    await pool.query('CREATE INDEX companies_by_name ON read_models.companies (name)');
    const added = await structure();
    const crashing = { whilePaused: () => Promise.reject(new Error('killed')) };
    await expect(replayReadModels(companies, { ...runtime, checkpoints: crashing })).rejects.toThrow('killed');
    const [continued] = await replayReadModels(companies, runtime);
    expect(continued!.events).toBe(0);
    expect(await structure()).toEqual(added);
    await dropReplayedTables(companies, runtime.connection);
    await expect(replayReadModels(companies, { ...runtime, checkpoints: crashing })).rejects.toThrow('killed');
    await pool.query('DROP INDEX read_models.companies_by_name');
    const dropped = await structure();
    const [restarted] = await replayReadModels(companies, runtime);
    expect(restarted!.events).toBe(history.length);
    expect(await structure()).toEqual(dropped);
  });

  it('fails instead of dropping what a migration adds before the switch', async () => {
    const migrating: ReplayRuntime['checkpoints'] = {
      whilePaused: async (subscriptions, work) => {
        await pool.query('ALTER TABLE read_models.companies ADD COLUMN added text');
        await checkpoints.whilePaused(subscriptions, work);
      },
    };
    const replayed = replayReadModels(companies, { ...runtime, checkpoints: migrating });
    await expect(replayed).rejects.toThrow('A migration has changed the read models since they were rebuilt');
    await replayReadModels(companies, runtime);
    await pool.query('SELECT added FROM read_models.companies');
  });

  it('that has lost its lock cannot write any more', async () => {
    const tablesOf = (id: string) => new ReplayTables(pool, nextSchema, { id, release: '1' });
    const [first, second] = [tablesOf(randomId()), tablesOf(randomId())];
    await first.open(companies[0]!);
    await second.open(companies[0]!);
    const nothing = async (): Promise<void> => undefined;
    await expect(first.advance('companies', 0n, 5n, nothing)).rejects.toThrow(ReplayTakenOver);
    await second.advance('companies', 0n, 5n, nothing);
    await expect(second.advance('companies', 0n, 6n, nothing)).rejects.toThrow(ReplayTakenOver);
  });
});

describe('A replay with workers', () => {
  const seen: PartProgress[] = [];
  beforeEach(() => void seen.splice(0));

  /** As a thread does it. */
  const workerOn =
    (own: ReplayRuntime['store']): ReplayWorker =>
    (part, report, signal) => {
      const { connection } = runtime;
      const reportSeen = (progress: readonly PartProgress[]): void => {
        seen.push(...progress);
        report(progress);
      };
      return replayPart(readModels, part, { connection, store: own, signal }, reportSeen);
    };

  async function replayWith(...workers: readonly ReplayWorker[]) {
    await pool.query(`UPDATE read_models.companies SET name = 'Forged'`);
    return replayReadModels(readModels, { ...runtime, workers });
  }

  it('rebuilds each read model once', async () => {
    const before = await liveRows();
    const replayed = await replayWith(workerOn(store), workerOn(store));
    expect(replayed.find(({ name }) => name === 'companies')).toMatchObject({ events: history.length });
    expect(seen).toContainEqual(expect.objectContaining({ name: 'companies', events: history.length }));
    expect(await liveRows()).toEqual(before);
    const head = await store.head();
    for (const { projection } of readModels) expect(await checkpoints.position(projection.name)).toBe(head);
  });

  it('continues what a worker has left, however it ended', async () => {
    const before = await liveRows();
    const killed = failingAt(7n, () => {
      throw new Error('killed');
    });
    await replayWith(() => Promise.reject(new Error('not started')), workerOn(killed));
    expect(await liveRows()).toEqual(before);
  });

  it('is interrupted with its workers, and can be continued', async () => {
    const before = await liveRows();
    const interruption = new AbortController();
    const interrupting = failingAt(7n, () => interruption.abort());
    const { signal } = interruption;
    const workers = [workerOn(store), workerOn(interrupting)];
    await expect(replayReadModels(readModels, { ...runtime, workers, signal })).rejects.toThrow();
    expect(await liveRows()).toEqual(before);
    await replayWith(workerOn(store), workerOn(store));
    expect(await liveRows()).toEqual(before);
  });

  it('rejects a worker of another run', async () => {
    await new ReplayTables(pool, nextSchema, { id: randomId(), release: '1' }).open(companies[0]!);
    const part = { readModels: ['companies'], schema: nextSchema, run: { id: randomId(), release: '1' }, end: 5n };
    await expect(replayPart(readModels, part, runtime, () => undefined)).rejects.toThrow(ReplayTakenOver);
  });
});

describe('Read models as of a position', () => {
  it('are built beside the live ones, which stay, and are dropped on request', async () => {
    const before = await liveRows();
    const { schema, readModels: built } = await buildReadModelsAt(companies, 5n, runtime);
    expect(schema).toBe(schemaAt(5n));
    expect(built).toEqual([{ name: 'companies', events: 5, seconds: expect.any(Number) as number }]);
    const { rows } = await pool.query(`SELECT name, verification, activations FROM ${schema}.companies ORDER BY name`);
    expect(rows).toEqual([
      { name: 'Acme "Ünited", Inc.', verification: 'approved', activations: ['services'] },
      { name: 'Ida', verification: 'pending', activations: [] },
    ]);
    expect(await liveRows()).toEqual(before);
    expect(await names('read_models_old')).toEqual([]);
    expect(await dropReplayedTables(companies, runtime.connection, [schema])).toHaveLength(tables.length);
    expect(await names(schema)).toEqual([]);
    expect((await pool.query('SELECT FROM replay.progress')).rows).toEqual([]);
  });
});
