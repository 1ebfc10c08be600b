import { createPool, type DatabaseConnection } from '@florin/database';
import { KeyRing, type KeyWrapper } from '@florin/kernel';
import {
  holdersProjectionName,
  type ReadModel,
  readModels,
  ReadModelsInUse,
  type ReplayedReadModel,
  replayReadModels,
  webhooksProjectionName,
} from '@florin/read-models';
import { checkVault, openVaultKeys, vaultOn } from '@florin/runtime';
import type { CliContext } from '../cli-context';
import { CommandFailed, UsageError } from '../cli-errors';
import { table } from '../table';
import { withEventLog } from './with-event-log';

const replayable = readModels(new KeyRing([])).map(({ projection }) => projection.name);

/** Writes to the database directly, and fails while a projector writes the same read models. */
export async function runReplay(context: CliContext, names: readonly string[]): Promise<void> {
  checkNames(names);
  const log = { info: silent, warn: warnOn(context.report), error: silent };
  await withEventLog(
    context.environment,
    { migrate: true, role: 'projector' },
    async ({ store, checkpoints, isOutage, connection }, config) => {
      const keys = openVaultKeys(config, log) ?? new KeyRing([]);
      const selected = select(names, keys);
      if (selected.some(({ projection }) => projection.name === holdersProjectionName))
        await checkKeys(connection, keys);
      const runtime = { store, checkpoints, isTransient: isOutage, log, shardCount: config.PROJECTION_SHARDS };
      const replayed = await replayReadModels(selected, runtime, (name, { events, position, head }) => {
        context.report(`${name}: ${events} events, up to position ${position} of ${head}`);
      }).catch(fail);
      context.output({ readModels: replayed }, resultTable(replayed));
    },
  );
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

/** Before anything is changed: without the vault keys, the rebuild would stop at the first holder. */
async function checkKeys(connection: DatabaseConnection, keys: KeyWrapper): Promise<void> {
  const pool = createPool(connection, { max: 1 });
  try {
    await checkVault([vaultOn(pool, keys).holderKeys], keys, { warn: silent });
  } catch (error) {
    throw new CommandFailed(`${(error as Error).message} Nothing was changed.`);
  } finally {
    await pool.end();
  }
}

function silent(): void {}

function warnOn(report: (text: string) => void): (details: object, message: string) => void {
  return (details, message) => {
    const { subscription, err } = details as { subscription?: string; err?: unknown };
    const reason = err instanceof Error ? `: ${err.message}` : '';
    report(`${subscription ?? 'The log'}: ${message}${reason}`);
  };
}

function fail(error: unknown): never {
  if (error instanceof ReadModelsInUse) {
    throw new CommandFailed(
      `${error.message}. Nothing was changed. Stop the projector (\`npm start\`, or all replicas of the service ` +
        '`projector`) and run this command again.',
      { inUse: error.names },
    );
  }
  throw new CommandFailed(
    `${error instanceof Error ? error.message : String(error)}\n` +
      'Read models that were not rebuilt to the end continue when Florin starts, or with another replay.',
  );
}

function resultTable(replayed: readonly ReplayedReadModel[]): string {
  return table(replayed, {
    'READ MODEL': ({ name }) => name,
    EVENTS: ({ events }) => String(events),
    SECONDS: ({ seconds }) => seconds.toFixed(1),
  });
}
