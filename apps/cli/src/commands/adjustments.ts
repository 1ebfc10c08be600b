import { adjustmentDirections } from '@florin/ledger-domain';
import type { AdjustmentView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import type { Columns } from '../table';
import { addPageOptions, printPage } from './pages';

const columns: Columns<AdjustmentView> = {
  ID: ({ id }) => id,
  CREATED: ({ createdAt }) => createdAt,
  ENVIRONMENT: ({ environment }) => environment,
  DIRECTION: ({ direction }) => direction,
  AMOUNT: ({ amount }) => amount,
  STATUS: ({ status }) => status,
  'PROPOSED BY': ({ createdBy, proposedBy }) => (createdBy ?? proposedBy)?.id,
  'CONFIRMED BY': ({ confirmedBy }) => confirmedBy?.id,
  REASON: ({ reason }) => reason,
};

const environment = new Option('--environment <environment>', 'the account')
  .choices(['sandbox', 'live'])
  .makeOptionMandatory();
const direction = new Option('--direction <direction>', 'credit adds to the available funds, debit takes from them')
  .choices(adjustmentDirections)
  .makeOptionMandatory();

interface CreateOptions {
  readonly idempotencyKey?: string;
}

export function addAdjustmentCommands(program: Command, context: CliContext): void {
  const adjustments = program.command('adjustments').description('Correct the balances of accounts.');
  adjustments
    .command('create <company-id>')
    .description('Credit or debit an account. From FOUR_EYES_AMOUNT on, a different operator must confirm it.')
    .addOption(environment)
    .addOption(direction)
    .requiredOption('--amount <amount>', 'US dollars, such as 25.00')
    .requiredOption('--reason <text>', 'why; shown to the client in the statement')
    .option('--idempotency-key <key>', 'makes it safe to repeat the command')
    .action(async (id: string, { idempotencyKey, ...body }: CreateOptions) => {
      const path = `/companies/${encodeURIComponent(id)}/adjustments`;
      const created = await context.operatorApi().post<AdjustmentView>(path, body, idempotencyKey);
      context.output(created, adjustmentText(created));
    });
  addPageOptions(adjustments.command('list <company-id>'))
    .description('List the adjustments of a company, also those that wait for a confirmation.')
    .action((id: string, query: Readonly<Record<string, string>>) => {
      const path = `/companies/${encodeURIComponent(id)}/adjustments`;
      return printPage(context, { path, columns, empty: 'There are no adjustments.', query });
    });
  adjustments
    .command('confirm <adjustment-id>')
    .description('Execute an adjustment that a different operator has proposed.')
    .action(async (id: string) => {
      const path = `/adjustments/${encodeURIComponent(id)}/confirm`;
      const confirmed = await context.operatorApi().post<AdjustmentView>(path);
      context.output(confirmed, adjustmentText(confirmed));
    });
}

function adjustmentText({ id, companyId, environment, direction, amount, status }: AdjustmentView): string {
  const account = `the ${environment} account of ${companyId}`;
  if (status === 'completed') {
    return direction === 'credit' ? `Credited ${amount} to ${account}.` : `Debited ${amount} from ${account}.`;
  }
  return [
    `Proposed adjustment ${id}: ${direction} ${amount}, ${account}. Nothing has moved yet.`,
    `A different operator must confirm it: florin adjustments confirm ${id}`,
  ].join('\n');
}
