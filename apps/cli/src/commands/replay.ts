import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
import type { ReplayOptions } from '../event-log/run-replay';

/** A copy of the names in `@florin/read-models`, which takes too long to load for help. */
export const replayableReadModels = [
  'companies',
  'operators',
  'products',
  'holders',
  'account-entries',
  'operations',
  'cards',
  'invoices',
  'deposits',
  'approvals',
  'adjustments',
  'accepted-requests',
] as const;

const help = `
Florin can run meanwhile. The read models are rebuilt beside the live ones and replace them in one transaction. The replaced
tables stay in the schema read_models_old until --drop-old. An interrupted replay changes nothing; the same command
continues it. Keeps data that is not in the log, such as when keys were last used, and the delivery history of webhooks.

--older-log is for a log that was restored from an older copy and that no start accepts. Stop all services first. It rebuilds all
read models, and lets processes and webhooks continue at the end of the log.

Exit codes: 0 done, 2 wrong usage, 3 could not run or was interrupted.`;

export function addReplayCommand(program: Command, context: CliContext): void {
  program
    .command('replay')
    .description('Rebuild all or the named read models from the log, on DATABASE_URL or the data folder.')
    .argument('[read-model...]', `read models to rebuild: ${replayableReadModels.join(', ')}`)
    .option('--projection <name>', 'the same as naming one read model')
    .option('--to <position|date>', 'build them as of then in another schema, for inspection, and replace nothing')
    .option(
      '--workers <number>',
      'threads that rebuild at the same time, at most 3 (default: the cores but one)',
      workersOption,
    )
    .option('--drop-old', 'only drop replaced tables and unfinished rebuilds or, with --to, those as of then')
    .option('--older-log', 'accept a log that ends before what was read from it: the events after its end are lost')
    .addHelpText('after', help)
    .action(async (names: readonly string[], options: ReplayOptions) => {
      const { runReplay } = await import('../event-log/run-replay');
      await runReplay(context, options.projection === undefined ? names : [...names, options.projection], options);
    });
}

function workersOption(text: string): number {
  if (/^[1-3]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use 1, 2 or 3.');
}
