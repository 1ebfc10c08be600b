import type { DatabaseConnection } from '@florin/database';
import type { Position } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ReadModel } from '../all-projections';
import { advanceAll, advanceTo, advanceTogether, progressOf, withPool } from './advance-builds';
import { ReadModelBuild } from './read-model-build';
import { withReplayLock } from './replay-lock';
import type { ReplayRuntime } from './replay-runtime';
import { dropTables, inTransaction, nextSchema, oldSchema, ReplayTables, schemaAt } from './replay-tables';

export interface ReplayedReadModel {
  readonly name: string;
  readonly events: number;
  readonly seconds: number;
}

/** The tables of an earlier replay must be dropped first. */
export class OldTablesExist extends Error {
  constructor(readonly tables: readonly string[]) {
    super(`The tables that an earlier replay has replaced still exist: ${tables.join(', ')}`);
    this.name = 'OldTablesExist';
  }
}

/** Shorter than `deadlock_timeout`, so that a read that waits for another table is never the victim. */
const lockTimeoutMs = 250;
/** Longer than `deadlock_timeout`, after which the server cancels an autovacuum of the table. */
const longLockTimeoutMs = 1_500;
const shortAttempts = 5;
/** Reads queue behind an attempt, so there is more and more time between two of them. */
const maxPauseMs = 10_000;

/**
 * Rebuilds read models in another schema and replaces the live ones in one transaction. Reads, writes and projectors go on
 * meanwhile. The replaced tables stay in `read_models_old`, except those with personal data.
 */
export function replayReadModels(
  chosen: readonly ReadModel[],
  runtime: ReplayRuntime,
): Promise<readonly ReplayedReadModel[]> {
  return withTables(nextSchema, runtime, async (tables, pool) => {
    await refuseOldTables(chosen, pool);
    const builds = await openBuilds(chosen, tables);
    await advanceTogether(await runtime.store.head(), builds, tables, runtime);
    await advanceAll(builds, runtime);
    for (const { tables: names, keepsRows } of chosen) if (keepsRows) await tables.keepRows(names);
    await tables.indexAndAnalyze(chosen.flatMap((readModel) => readModel.tables));
    await advanceAll(builds, runtime);
    await switchOver(builds, runtime);
    return builds.map(summaryOf);
  });
}

/** Builds read models as they were at a position, beside the live ones, and returns their schema. Nothing is switched. */
export function buildReadModelsAt(
  chosen: readonly ReadModel[],
  position: Position,
  runtime: ReplayRuntime,
): Promise<{ readonly schema: string; readonly readModels: readonly ReplayedReadModel[] }> {
  const schema = schemaAt(position);
  return withTables(schema, runtime, async (tables) => {
    const builds = await openBuilds(chosen, tables);
    await advanceTogether(position, builds, tables, runtime);
    await advanceTo(position, builds, runtime);
    await tables.indexAndAnalyze(chosen.flatMap((readModel) => readModel.tables));
    return { schema, readModels: builds.map(summaryOf) };
  });
}

/** Drops what earlier replays of these read models have left in the schemas, and returns the names of the tables. */
export function dropReplayedTables(
  chosen: readonly ReadModel[],
  connection: DatabaseConnection,
  schemas: readonly string[] = [oldSchema, nextSchema],
): Promise<readonly string[]> {
  return withReplayLock(connection, () =>
    withPool(connection, (pool) =>
      inTransaction(pool, async (tx) => {
        const dropped: string[] = [];
        for (const schema of schemas) {
          for (const { projection, tables } of chosen) {
            dropped.push(...(await dropTables(tx, schema, projection.name, tables)));
          }
        }
        return dropped;
      }),
    ),
  );
}

function withTables<Result>(
  schema: string,
  { connection, release }: ReplayRuntime,
  work: (tables: ReplayTables, pool: Pool) => Promise<Result>,
): Promise<Result> {
  return withReplayLock(connection, () =>
    withPool(connection, (pool) => work(new ReplayTables(pool, schema, { id: randomId(), release }), pool)),
  );
}

async function openBuilds(chosen: readonly ReadModel[], tables: ReplayTables): Promise<readonly ReadModelBuild[]> {
  const builds: ReadModelBuild[] = [];
  for (const readModel of chosen) builds.push(await ReadModelBuild.open(readModel, tables));
  return builds;
}

function summaryOf({ name, events, seconds }: ReadModelBuild): ReplayedReadModel {
  return { name, events, seconds };
}

async function refuseOldTables(chosen: readonly ReadModel[], pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
     WHERE nspname = $1 AND relname = ANY ($2) AND relkind = 'r' ORDER BY 1`,
    [oldSchema, chosen.flatMap(({ tables }) => tables)],
  );
  if (rows.length > 0) throw new OldTablesExist(rows.map(({ name }) => name));
}

/**
 * Live projectors wait while the last events are projected. The checkpoints of the live read models stay, or move forward to
 * where the rebuilt ones are, so a projector continues on the new tables without noticing.
 */
async function switchOver(builds: readonly ReadModelBuild[], runtime: ReplayRuntime): Promise<void> {
  const { store, checkpoints, shardCount, signal, report } = runtime;
  const subscriptions = builds.map(({ name, readModel }) => {
    return { name, shardCount: readModel.projection.undivided ? 1 : shardCount };
  });
  const tables = builds.flatMap(({ readModel }) => readModel.tables);
  const discarded = builds.flatMap(({ readModel }) => (readModel.hasPersonalData ? readModel.tables : []));
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = attempt <= shortAttempts ? lockTimeoutMs : longLockTimeoutMs;
    try {
      await checkpoints.whilePaused(subscriptions, async (live, tx) => {
        const positions = [];
        for (const [index, build] of builds.entries()) positions.push(await build.finish(live[index]!, store, tx));
        await tx.query('SELECT replay.switch_tables($1, $2, $3)', [tables, discarded, timeoutMs]);
        signal?.throwIfAborted();
        return positions;
      });
      return;
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    report?.({ ...progressOf(await store.head(), builds)(), eventsPerSecond: 0, isWaiting: true });
    await delay(Math.min(maxPauseMs, lockTimeoutMs * 2 ** (attempt - 1)), undefined, { signal });
    await advanceAll(builds, runtime);
  }
}

/** A lock was not available in time, or waiting longer would have been a deadlock. */
function isLocked(error: unknown): boolean {
  return ['55P03', '40P01'].includes(String((error as { readonly code?: unknown }).code));
}
