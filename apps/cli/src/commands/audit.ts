import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import type { EvidenceOptions } from '../event-log/checkpoint-source';
import { addEvidenceOptions } from './evidence-options';

export function addAuditCommand(program: Command, context: CliContext): void {
  addEvidenceOptions(program.command('audit'))
    .description('Audit the log and the read models, on DATABASE_URL or the data folder of a stopped Florin.')
    .option('--account <account>', 'only this account, such as <company-id>-live, and its operations')
    .addHelpText(
      'after',
      '\nChecks hash chains, balances, reservations and operations from the log alone, then compares the read models of statements and operations.',
    )
    .action(async ({ account, ...evidence }: EvidenceOptions & { readonly account?: string }) => {
      const { runAudit } = await import('../event-log/run-audit');
      await runAudit(context, account, evidence);
    });
}
