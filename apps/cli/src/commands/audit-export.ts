import { isUuid } from '@florin/kernel';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context';
import { UsageError } from '../cli-errors';
import type { ResultOptions } from '../event-log/check-results';
import type { AuditExportArguments } from '../event-log/run-audit-export';
import { environmentOption } from '../option-values';

export type ExportOptions = Partial<AuditExportArguments> & Pick<ResultOptions, 'result' | 'since'>;

const environment = environmentOption('with --out: only this environment');

/** The options of `florin audit` that write a folder instead of auditing the present state. */
export function addExportOptions(audit: Command): Command {
  return audit
    .option('--as-of <time>', 'with --out: a day (its end in UTC), a time, or a position of the log')
    .option(
      '--out <folder>',
      'write trial balance, statements and all objects as of then: CSV, JSON and a report to print',
    )
    .option('--company <id>', 'with --out: only this company', companyOption)
    .addOption(environment);
}

/** Undefined if nothing is to be exported. */
export function exportArguments(options: ExportOptions): AuditExportArguments | undefined {
  const { asOf, out, company, environment: only, signingKey, fourEyesAmount, quiet, metrics } = options;
  if (asOf === undefined && out === undefined) {
    if (company === undefined && only === undefined) return undefined;
    throw new UsageError('--company and --environment belong to an export. Add --as-of and --out.');
  }
  if (options.result !== undefined || options.since !== undefined) {
    throw new UsageError('An export has no --result and --since: it always reads the log up to --as-of.');
  }
  if (asOf === undefined || out === undefined) throw new UsageError('An export needs both --as-of and --out.');
  return { asOf, out, company, environment: only, signingKey, fourEyesAmount, quiet, metrics };
}

export function addAuditCheckCommand(audit: Command, context: CliContext): void {
  audit
    .command('check <folder>')
    .description('Verify an export of `florin audit --out` without a database: its files, totals and signature.')
    .option('--public-key <keys>', 'accepted keys: a PEM file, or base64')
    .action(async (folder: string, _: object, command: Command) => {
      const { runAuditCheck } = await import('../event-log/run-audit-export');
      // `audit` has an option of the same name, and takes it first.
      await runAuditCheck(context, folder, command.optsWithGlobals<{ readonly publicKey?: string }>());
    });
}

function companyOption(text: string): string {
  if (isUuid(text)) return text;
  throw new InvalidArgumentError('Use the ID of a company; `florin companies list` shows them.');
}
