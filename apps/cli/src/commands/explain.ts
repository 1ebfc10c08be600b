import type { ExplainedKind } from '@florin/audit';
import { Argument, type Command } from 'commander';
import type { CliContext } from '../cli-context';
import type { ExplainOptions } from '../event-log/run-explain';

const kinds = ['balance', 'operation', 'invoice', 'card', 'entry'] as const satisfies readonly ExplainedKind[];

export function addExplainCommand(program: Command, context: CliContext): void {
  program
    .command('explain')
    .description('Explain a balance, operation, invoice, card or statement entry by its events.')
    .addArgument(new Argument('<kind>', 'what to explain').choices(kinds))
    .argument('<id>', 'its id; for a balance the account, such as <company-id>-live')
    .option('--as-of <time>', 'as of a UTC date, a time or a position in the log (default: now)')
    .option('--all', 'every event of a balance, instead of every day')
    .addHelpText(
      'after',
      '\nReads the log, on DATABASE_URL or in the data folder; Florin may run. An entry can also be an event: <account>@<revision>.',
    )
    .action(async (kind: ExplainedKind, id: string, options: ExplainOptions) => {
      const { runExplain } = await import('../event-log/run-explain');
      await runExplain(context, kind, id, options);
    });
}
