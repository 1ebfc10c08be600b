import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { applyMigrations, createPool, type DatabaseConnection, isTransientDatabaseError } from '@florin/database';
import { catchUp, type EventStore, Progress, type Projection } from '@florin/event-sourcing';
import { allProjections } from '@florin/read-models';
import { setMaxListeners } from 'node:events';
import type { Pool, PoolClient } from 'pg';
import type { Check } from './check';
import { compareTables, tablesOf } from './compare-tables';

const schemas = ['read_models', 'webhooks'];

/** Written by the dispatcher, not derived from events: delivery attempts and their results. */
const notFromEvents = new Set([
  ...['webhooks.attempts', 'webhooks.endpoint_health'],
  ...['webhooks.due', 'webhooks.endpoint_claims', 'webhooks.recoveries', 'webhooks.objects'],
]);
const ignored = {
  'webhooks.deliveries': [
    ...['status', 'unsent', 'attempts', 'next_attempt_at'],
    ...['last_attempt_at', 'last_status_code', 'last_duration_ms', 'last_error'],
  ],
};

/** Keys that decrypt personal data in the log. Projections need them, and they are not part of the log by design. */
const vaults = ['vault.holder_keys'];

const timeoutMs = 120_000;

export const rebuildCheck: Check = {
  name: 'the read models equal a full rebuild',
  run: async ({ store, database, emptyDatabase, vaultKeys }) => {
    const empty = await emptyDatabase();
    await applyMigrations(empty);
    const pools = [createPool(database, { max: 2 }), createPool(empty, { max: 2 })] as const;
    try {
      for (const table of vaults) await copyTable(pools, table);
      await rebuild(store, empty, allProjections(vaultKeys));
      const tables = (await tablesOf(pools[0], schemas)).filter(
        ({ schema, name }) => !notFromEvents.has(`${schema}.${name}`),
      );
      const { rows, differences } = await compareTables(pools, tables, { ignored });
      return { examined: `${rows} rows in ${tables.length} tables`, findings: differences };
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  },
};

async function copyTable([from, to]: readonly [Pool, Pool], table: string): Promise<void> {
  const { rows } = await from.query<{ all: string }>(
    `SELECT coalesce(json_agg(t), '[]')::text AS all FROM ${table} AS t`,
  );
  await to.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1)`, [rows[0]?.all]);
}

/** Runs the projections on the same log up to its end. */
async function rebuild(
  store: EventStore,
  connection: DatabaseConnection,
  projections: readonly Projection<PoolClient>[],
): Promise<void> {
  const checkpoints = new PostgresCheckpointStore(connection);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const runtime = { store, checkpoints, progress: new Progress(), log: silent, isTransient: isTransientDatabaseError };
  try {
    const head = await store.head();
    const signal = AbortSignal.timeout(timeoutMs);
    setMaxListeners(0, signal);
    await Promise.all(projections.map((projection) => catchUp(projection, runtime, head, { signal })));
  } finally {
    await checkpoints.close();
  }
}
