import { canonicalMoneyText, isMoneyInput, type MoneyText } from '@florin/kernel';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
import type { AuditArguments } from '../event-log/run-audit';
import { addAuditCheckCommand, addExportOptions, exportArguments, type ExportOptions } from './audit-export';
import { addCheckOptions } from './check-options';

export function addAuditCommand(program: Command, context: CliContext): void {
  const audit = addExportOptions(addCheckOptions(program.command('audit')))
    .description('Audit the log and the read models, on DATABASE_URL or the data folder. Florin may run.')
    .option('--account <account>', 'only this account, such as <company-id>-live, and its operations')
    .option(
      '--four-eyes-amount <amount>',
      'from this amount on, two operators must have decided; 0 accepts one (default: FOUR_EYES_AMOUNT)',
      amountOption,
    )
    .addHelpText(
      'after',
      '\nChecks hash chains, balances, reservations and operations from the log alone, then compares every row of the read models with it.',
    )
    .action(async (options: AuditArguments & ExportOptions) => {
      const toExport = exportArguments(options);
      if (toExport !== undefined) {
        const { runAuditExport } = await import('../event-log/run-audit-export');
        return runAuditExport(context, toExport);
      }
      const { runAudit } = await import('../event-log/run-audit');
      await runAudit(context, options);
    });
  addAuditCheckCommand(audit, context);
}

function amountOption(text: string): MoneyText {
  if (isMoneyInput(text)) return canonicalMoneyText(text);
  throw new InvalidArgumentError('Use an amount in US dollars such as 1000 or 1000.00.');
}
