import { createPool, type DatabaseConnection } from '@florin/database';
import type { EventStore, Position } from '@florin/event-sourcing';
import { KeyRing, type KeyWrapper } from '@florin/kernel';
import {
  buildReadModelsAt,
  dropReplayedTables,
  holdersProjectionName,
  OldTablesExist,
  oldSchema,
  type ReadModel,
  readModels,
  type ReplayedReadModel,
  type ReplayProgress,
  replayReadModels,
  type ReplayRuntime,
  schemaAt,
  webhooksProjectionName,
} from '@florin/read-models/tools';
import { acceptOlderLog, checkVault, openVaultKeys, vaultOn } from '@florin/runtime/tools';
import type { CliContext } from '../cli-context';
import { CommandFailed, CouldNotRun, UsageError } from '../cli-errors';
import { endOfLog, readAsOf } from './as-of';
import { table } from '../table';
import { readVersion } from '../version';
import { replayThreads } from './replay-threads';
import { withEventLog } from './with-event-log';

export interface ReplayOptions {
  readonly projection?: string;
  readonly to?: string;
  readonly dropOld?: true;
  readonly olderLog?: true;
  /** Threads that rebuild at the same time; absent: the cores but one. */
  readonly workers?: number;
}

const replayable = readModels(new KeyRing([])).map(({ projection }) => projection.name);

const unchanged = 'The live read models were not changed. The same command continues.';

/** Works on the database directly, beside a running Florin or on a stopped one. */
export async function runReplay(context: CliContext, names: readonly string[], options: ReplayOptions): Promise<void> {
  checkNames(names);
  if (options.olderLog && (names.length > 0 || options.to !== undefined || options.dropOld)) {
    throw new UsageError('--older-log rebuilds all read models: name none, and omit --to and --drop-old.');
  }
  const end = options.to === undefined ? undefined : readAsOf('--to', options.to);
  const signal = context.interrupted();
  try {
    await withEventLog(
      context.environment,
      { migrate: false, role: 'projector', besideFlorin: true, acceptsOlderLog: options.olderLog === true },
      async ({ store, checkpoints, connection }, config) => {
        const keys = openVaultKeys(config, { warn: (_, message) => context.report(message) }) ?? new KeyRing([]);
        const selected = select(names, keys);
        const position = end && (await endOfLog(store, end));
        if (options.dropOld) return dropOld(context, selected, connection, position);
        if (selected.some(({ projection }) => projection.name === holdersProjectionName))
          await checkKeys(connection, keys);
        const report = (progress: ReplayProgress): void => context.report(describe(progress));
        const shardCount = config.PROJECTION_SHARDS;
        const release = readVersion();
        const workers = replayThreads(options.workers, context.environment, connection, (text) => context.report(text));
        const runtime = { connection, store, checkpoints, shardCount, release, signal, report, workers };
        if (position !== undefined) return build(context, selected, position, runtime);
        await replay(context, selected, runtime);
        if (options.olderLog) await continueAtEnd(connection, store);
      },
    );
  } catch (error) {
    throw asCliError(error, signal);
  }
}

function checkNames(names: readonly string[]): void {
  for (const name of names) {
    if (name === webhooksProjectionName) {
      throw new UsageError(
        `${name} cannot be rebuilt: the log has no record of deliveries, so they would be lost. ` +
          'docs/OPERATIONS.md describes how to derive its events again without emptying its tables.',
      );
    }
    if (!replayable.includes(name)) {
      throw new UsageError(`Unknown read model ${name}. Choose from ${replayable.join(', ')}, or name none for all.`);
    }
  }
}

function select(names: readonly string[], keys: KeyWrapper): readonly ReadModel[] {
  const all = readModels(keys);
  return names.length === 0 ? all : all.filter(({ projection }) => names.includes(projection.name));
}

async function replay(context: CliContext, selected: readonly ReadModel[], runtime: ReplayRuntime): Promise<void> {
  const replayed = await replayReadModels(selected, runtime);
  const old = `The replaced tables are in the schema ${oldSchema}. Drop them with: florin replay --drop-old`;
  context.output({ readModels: replayed }, `${resultTable(replayed)}\n\n${old}`);
}

/** Last, so that no start accepts the log before its read models are rebuilt. */
async function continueAtEnd(connection: DatabaseConnection, store: EventStore): Promise<void> {
  const pool = createPool(connection, { max: 1 });
  try {
    await acceptOlderLog(pool, store);
  } finally {
    await pool.end();
  }
}

async function build(
  context: CliContext,
  selected: readonly ReadModel[],
  position: Position,
  runtime: ReplayRuntime,
): Promise<void> {
  const { schema, readModels: built } = await buildReadModelsAt(selected, position, runtime);
  const place = `The read models as of position ${position} are in the schema ${schema}. The live ones were not changed.`;
  const drop = `They may have names of holders that a later erasure does not reach. Drop them with: florin replay --drop-old --to ${position}`;
  context.output(
    { position: String(position), schema, readModels: built },
    `${resultTable(built)}\n\n${place}\n${drop}`,
  );
}

async function dropOld(
  context: CliContext,
  selected: readonly ReadModel[],
  connection: DatabaseConnection,
  position: Position | undefined,
): Promise<void> {
  const schemas = position === undefined ? undefined : [schemaAt(position)];
  const dropped = await dropReplayedTables(selected, connection, schemas);
  context.output({ dropped }, dropped.length === 0 ? 'Nothing to drop.' : `Dropped ${dropped.join(', ')}.`);
}

/** Before anything is changed: without the vault keys, the rebuild would stop at the first holder. */
async function checkKeys(connection: DatabaseConnection, keys: KeyWrapper): Promise<void> {
  const pool = createPool(connection, { max: 1 });
  try {
    await checkVault([vaultOn(pool, keys).holderKeys], keys, { warn: silent });
  } finally {
    await pool.end();
  }
}

function silent(): void {}

function describe({ events, eventsPerSecond, completed, secondsLeft, isWaiting }: ReplayProgress): string {
  if (isWaiting) return 'Waiting for reads, a vacuum or a backup to release the tables; retrying';
  const left = secondsLeft === undefined ? '' : `, about ${Math.ceil(secondsLeft)} s left`;
  const percent = Math.floor(completed * 100);
  return `Rebuilt from ${events} events, ${percent} % of the log, ${Math.round(eventsPerSecond)} events/s${left}`;
}

function asCliError(error: unknown, signal: AbortSignal): Error {
  if (error instanceof UsageError) return error;
  if (signal.aborted) return new CouldNotRun(`Interrupted. ${unchanged}`);
  if (error instanceof OldTablesExist) {
    return new CouldNotRun(`${error.message}. Drop them first: florin replay --drop-old`, { tables: error.tables });
  }
  if (error instanceof CommandFailed) return new CouldNotRun(error.message, error.details);
  return new CouldNotRun(`${error instanceof Error ? error.message : String(error)}. ${unchanged}`);
}

function resultTable(replayed: readonly ReplayedReadModel[]): string {
  return table(replayed, {
    'READ MODEL': ({ name }) => name,
    EVENTS: ({ events }) => String(events),
    SECONDS: ({ seconds }) => seconds.toFixed(1),
  });
}
