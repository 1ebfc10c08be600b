import type { CommandOutput } from '../command';
import type { Columns } from '../table';
import { pageText, type ResultPage } from './page-output';

export interface Deposit {
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

export function depositsOutput(answer: ResultPage<Deposit>): CommandOutput {
  return { answer, text: pageText(answer, columns, 'Nothing has arrived.') };
}

function statusText({ status, late, reason, forReview, resolution }: Deposit): string {
  switch (status) {
    case 'matched':
      return late ? 'matched, but late' : 'matched';
    case 'unmatched':
      return `unmatched: ${reason}${forReview ? ', for review' : ''}`;
    default:
      return `${status} as ${resolution?.outcome}`;
  }
}
