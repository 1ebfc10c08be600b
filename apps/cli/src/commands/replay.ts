import {
  type ReadModel,
  readModels,
  ReadModelsInUse,
  type ReplayedReadModel,
  replayReadModels,
  webhooksProjection,
} from '@florin/read-models';
import { CommandFailed, UsageError } from '../cli-errors';
import type { Command } from '../command';
import { table } from '../table';
import { withEventLog } from '../with-event-log';

const names = readModels.map(({ projection }) => projection.name);

/** Works on the database itself, and never beside somebody who writes the same read models. */
export const replay: Command = {
  words: 'replay',
  summary:
    'Makes read models anew from the log, all or those named, on DATABASE_URL or the data folder of a stopped Florin.',
  details: `Read models: ${names.join(', ')}. What cannot be made from the log, such as when keys were last used, stays.`,
  arguments: [],
  repeated: 'read-model',
  options: {},
  run: (input) => {
    const { environment, report } = input;
    const chosen = choose(input.list('read-model'));
    return withEventLog(environment, { migrate: true }, async ({ store, checkpoints, isOutage }, config) => {
      const log = { info: silent, warn: tellOf(report), error: silent };
      const runtime = { store, checkpoints, isTransient: isOutage, log, shardCount: config.PROJECTION_SHARDS };
      const replayed = await replayReadModels(chosen, runtime, (name, { events, position, head }) => {
        report(`${name}: ${events} events, up to position ${position} of ${head}`);
      }).catch(asFailure);
      return { answer: { readModels: replayed }, text: describe(replayed) };
    });
  },
};

function choose(wanted: readonly string[]): readonly ReadModel[] {
  for (const name of wanted) {
    if (name === webhooksProjection.name) {
      throw new UsageError(
        `${name} is not made anew: what was delivered is told by no event, and would be lost with its tables. ` +
          'docs/OPERATIONS.md tells how to have its events derived again without emptying anything',
      );
    }
    if (!names.includes(name)) {
      throw new UsageError(`There is no read model ${name}; choose from ${names.join(', ')}, or name none for all`);
    }
  }
  return wanted.length === 0 ? readModels : readModels.filter(({ projection }) => wanted.includes(projection.name));
}

function silent(): void {}

function tellOf(report: (text: string) => void): (details: object, message: string) => void {
  return (details, message) => {
    const { subscription, err } = details as { subscription?: string; err?: unknown };
    const reason = err instanceof Error ? `: ${err.message}` : '';
    report(`${subscription ?? 'The log'}: ${message}${reason}`);
  };
}

function asFailure(error: unknown): never {
  if (error instanceof ReadModelsInUse) {
    throw new CommandFailed(
      `${error.message}, and nothing was changed. Stop whatever runs projections on this database ` +
        '(`npm start`, or the service `projector` with all its replicas), and call this again.',
      { inUse: error.names },
    );
  }
  throw new CommandFailed(
    `${error instanceof Error ? error.message : String(error)}\n` +
      'What was not replayed to its end goes on by itself at the next start of Florin, or anew with another replay.',
  );
}

function describe(replayed: readonly ReplayedReadModel[]): string {
  return table(replayed, {
    'READ MODEL': ({ name }) => name,
    EVENTS: ({ events }) => String(events),
    SECONDS: ({ seconds }) => seconds.toFixed(1),
  });
}
