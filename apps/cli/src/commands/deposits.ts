import type { DepositView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import type { Columns } from '../table';
import { addPageOptions, printPage } from './pages';

const columns: Columns<DepositView> = {
  ID: ({ id }) => id,
  TIME: ({ blockTime }) => blockTime,
  USDT: ({ amount }) => amount,
  STATUS: statusText,
  INVOICE: ({ invoiceId }) => invoiceId,
  ADDRESS: ({ address }) => address,
  FROM: ({ from }) => from,
  TRANSACTION: ({ transactionId }) => transactionId,
};

const status = new Option('--status <status>', 'only deposits with this status (default: all)').choices([
  'matched',
  'unmatched',
  'resolved',
]);

export function addDepositCommands(program: Command, context: CliContext): void {
  const deposits = program.command('deposits').description('Inspect deposits on TRON.');
  addPageOptions(deposits.command('list').addOption(status))
    .description('List the deposits that arrived at the treasury addresses on TRON, with their status.')
    .action((query: Readonly<Record<string, string>>) =>
      printPage(context, { path: '/deposits', columns, empty: 'There are no deposits.', query }),
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
