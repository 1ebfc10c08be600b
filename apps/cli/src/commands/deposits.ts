import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import { type Columns, pageText, type ResultPage } from '../table';
import { addPageOptions, withQuery } from './page-options';

interface Deposit {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly address: string;
  readonly from: string;
  readonly transactionId: string;
  readonly blockTime: string;
  readonly late?: boolean;
  readonly reason?: string;
  readonly forReview: boolean;
  readonly invoiceId?: string;
  readonly resolution?: { readonly outcome: string };
}

const columns: Columns<Deposit> = {
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
    .action(async (query: Readonly<Record<string, string>>) => {
      const response = await context.operatorApi().get<ResultPage<Deposit>>(withQuery('/deposits', query));
      context.output(response, pageText(response, columns, 'There are no deposits.'));
    });
}

function statusText({ status, late, reason, forReview, resolution }: Deposit): string {
  switch (status) {
    case 'matched':
      return late ? 'matched, late' : 'matched';
    case 'unmatched':
      return `unmatched: ${reason}${forReview ? ', for review' : ''}`;
    default:
      return `${status} as ${resolution?.outcome}`;
  }
}
