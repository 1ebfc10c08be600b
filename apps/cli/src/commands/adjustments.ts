import { adjustmentDirections } from '@florin/ledger-domain';
import type { AdjustmentView, ApprovalView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { idempotencyKeyOf, idempotencyKeyOption } from '../idempotency-key';
import { environmentOption } from '../option-values';
import { type Columns, money } from '../table';
import { addPageOptions, type ListQuery, printPage } from './pages';

/** An adjustment as the API returns it. */
type Adjustment = AdjustmentView & { readonly proposal?: Pick<ApprovalView, 'withdrawnBy' | 'refusal'> };

const columns: Columns<AdjustmentView> = {
  ID: ({ id }) => id,
  CREATED: ({ createdAt }) => createdAt,
  ENVIRONMENT: ({ environment }) => environment,
  DIRECTION: ({ direction }) => direction,
  AMOUNT: money(({ amount }) => amount),
  STATUS: ({ status }) => status,
  'PROPOSED BY': ({ createdBy, proposedBy }) => (createdBy ?? proposedBy)?.id,
  'CONFIRMED BY': ({ confirmedBy }) => confirmedBy?.id,
  REASON: ({ reason }) => reason,
};

const environment = environmentOption('the account').makeOptionMandatory();
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
    .addOption(idempotencyKeyOption())
    .action(async (id: string, { idempotencyKey, ...body }: CreateOptions) => {
      const api = context.operatorApi();
      const path = apiPath`/companies/${id}/adjustments`;
      const created = await api.post<Adjustment>(path, body, idempotencyKeyOf(context, idempotencyKey));
      context.output(created, adjustmentText(created));
    });
  addPageOptions(adjustments.command('list <company-id>'))
    .description('List the adjustments of a company, also those that wait for a confirmation.')
    .action((id: string, query: ListQuery) => {
      const path = apiPath`/companies/${id}/adjustments`;
      return printPage(context, { api: context.operatorApi(), path, columns, plural: 'adjustments', query });
    });
  adjustments
    .command('confirm <adjustment-id>')
    .description('Execute an adjustment that a different operator has proposed.')
    .action(async (id: string) => {
      const confirmed = await context.operatorApi().post<Adjustment>(apiPath`/adjustments/${id}/confirm`);
      context.output(confirmed, adjustmentText(confirmed));
    });
}

function adjustmentText({ id, companyId, environment, direction, amount, status, proposal }: Adjustment): string {
  const account = `the ${environment} account of ${companyId}`;
  const terms = `adjustment ${id}: ${direction} ${amount}, ${account}`;
  switch (status) {
    case 'completed':
      return direction === 'credit' ? `Credited ${amount} to ${account}.` : `Debited ${amount} from ${account}.`;
    case 'proposed':
      return [
        `Proposed ${terms}. Nothing has moved yet.`,
        `A different operator must confirm it: florin adjustments confirm ${id}`,
      ].join('\n');
    case 'confirmed':
      return [
        `Confirmed and not executed: ${terms}. Nothing has moved yet.`,
        `Execute it with florin adjustments confirm ${id}, or withdraw it with florin approvals withdraw ${id}`,
      ].join('\n');
    case 'withdrawn':
      return [
        `Withdrawn: ${terms}. Nothing has moved.`,
        ...(proposal?.refusal === undefined ? [] : [`The ledger refused it: ${proposal.refusal}.`]),
        'Create a new adjustment with a new idempotency key if it is still needed.',
      ].join('\n');
  }
}
