import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

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

export function addReplayCommand(program: Command, context: CliContext): void {
  program
    .command('replay')
    .description(
      'Rebuild all or the named read models from the log, on DATABASE_URL or the data folder of a stopped Florin.',
    )
    .argument('[read-model...]', `read models to rebuild: ${replayableReadModels.join(', ')}`)
    .addHelpText('after', '\nKeeps data that is not in the log, such as when keys were last used.')
    .action(async (names: readonly string[]) => {
      const { runReplay } = await import('../event-log/run-replay');
      await runReplay(context, names);
    });
}
