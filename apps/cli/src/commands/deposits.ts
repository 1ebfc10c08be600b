import type { DepositView } from '@florin/read-models';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import { filterOption } from '../option-values';
import { type Columns, money } from '../table';
import { addPageOptions, type ListQuery, printPage } from './pages';

const columns: Columns<DepositView> = {
  ID: ({ id }) => id,
  TIME: ({ blockTime }) => blockTime,
  USDT: money(({ amount }) => amount),
  STATUS: statusText,
  INVOICE: ({ invoiceId }) => invoiceId,
  ADDRESS: ({ address }) => address,
  FROM: ({ from }) => from,
  TRANSACTION: ({ transactionId }) => transactionId,
};

const statuses = ['matched', 'unmatched', 'resolved'];
const status = filterOption('--status <status>', 'only deposits with this status', statuses);

export function addDepositCommands(program: Command, context: CliContext): void {
  const deposits = program.command('deposits').description('Inspect deposits on TRON.');
  addPageOptions(deposits.command('list').addOption(status))
    .description('List the deposits that arrived at the treasury addresses on TRON, with their status.')
    .action((query: ListQuery) =>
      printPage(context, { api: context.operatorApi(), path: '/deposits', columns, plural: 'deposits', query }),
    );
}

function statusText({ status, late, reason, forReview, resolution }: DepositView): string {
  switch (status) {
    case 'matched':
      return late ? 'matched, late' : 'matched';
    case 'unmatched':
      return `unmatched: ${reason}${forReview ? ', for review' : ''}`;
    default:
      return `${status} as ${resolution?.outcome}`;
  }
}
