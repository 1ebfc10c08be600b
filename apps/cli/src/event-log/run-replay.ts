import {
  type ReadModel,
  readModels,
  ReadModelsInUse,
  type ReplayedReadModel,
  replayReadModels,
  webhooksProjection,
} from '@florin/read-models';
import type { CliContext } from '../cli-context';
import { CommandFailed, UsageError } from '../cli-errors';
import { table } from '../table';
import { withEventLog } from './with-event-log';

const allNames = readModels.map(({ projection }) => projection.name);

/** Writes to the database directly, and fails while a projector writes the same read models. */
export async function runReplay(context: CliContext, names: readonly string[]): Promise<void> {
  const selected = select(names);
  const log = { info: silent, warn: warnOn(context.report), error: silent };
  await withEventLog(context.environment, { migrate: true }, async ({ store, checkpoints, isOutage }, config) => {
    const runtime = { store, checkpoints, isTransient: isOutage, log, shardCount: config.PROJECTION_SHARDS };
    const replayed = await replayReadModels(selected, runtime, (name, { events, position, head }) => {
      context.report(`${name}: ${events} events, up to position ${position} of ${head}`);
    }).catch(fail);
    context.output({ readModels: replayed }, resultTable(replayed));
  });
}

function select(names: readonly string[]): readonly ReadModel[] {
  for (const name of names) {
    if (name === webhooksProjection.name) {
      throw new UsageError(
        `${name} cannot be rebuilt: the log has no record of deliveries, so they would be lost. ` +
          'docs/OPERATIONS.md describes how to derive its events again without emptying its tables.',
      );
    }
    if (!allNames.includes(name)) {
      throw new UsageError(`Unknown read model ${name}. Choose from ${allNames.join(', ')}, or name none for all.`);
    }
  }
  return names.length === 0 ? readModels : readModels.filter(({ projection }) => names.includes(projection.name));
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
