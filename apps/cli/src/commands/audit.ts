import { canonicalMoneyText, isMoneyInput, type MoneyText } from '@florin/kernel';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
import type { AuditArguments } from '../event-log/run-audit';
import { addEvidenceOptions } from './evidence-options';

export function addAuditCommand(program: Command, context: CliContext): void {
  addEvidenceOptions(program.command('audit'))
    .description('Audit the log and the read models, on DATABASE_URL or the data folder of a stopped Florin.')
    .option('--account <account>', 'only this account, such as <company-id>-live, and its operations')
    .option(
      '--four-eyes-amount <amount>',
      'from this amount on, two operators must have decided; 0 accepts one (default: FOUR_EYES_AMOUNT)',
      amountOption,
    )
    .addHelpText(
      'after',
      '\nChecks hash chains, balances, reservations and operations from the log alone, then compares the read models of statements and operations.',
    )
    .action(async (options: AuditArguments) => {
      const { runAudit } = await import('../event-log/run-audit');
      await runAudit(context, options);
    });
}

function amountOption(text: string): MoneyText {
  if (isMoneyInput(text)) return canonicalMoneyText(text);
  throw new InvalidArgumentError('Use an amount in US dollars such as 1000 or 1000.00.');
}
