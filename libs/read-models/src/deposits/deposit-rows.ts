import type {
  AddressEvent,
  AmountsFreed,
  ClaimLost,
  DepositMatched,
  DepositUnmatched,
  PayAmountClaimed,
} from '@florin/invoicing-domain';
import { assertNever, parseUsdt, type Usdt } from '@florin/kernel';
import { type FoldedRow, writerOfFoldedRows } from '../folded-rows';
import type { DepositResolution, DepositStatus } from './deposits.views';

/** With the column names of the table. */
export interface DepositRow extends FoldedRow {
  address?: string;
  transaction_id?: string;
  log_index?: number;
  sender?: string;
  amount?: Usdt;
  block_number?: number;
  block_time?: string;
  status?: DepositStatus;
  late?: boolean;
  reason?: DepositUnmatched['data']['reason'];
  invoice_id?: string;
  for_review?: boolean;
  judged_at?: string;
  resolution?: DepositResolution;
}

export type DepositRows = Map<string, DepositRow>;

type DepositEvent = Exclude<AddressEvent, PayAmountClaimed | ClaimLost | AmountsFreed>;
type Classification = DepositMatched['data'] | DepositUnmatched['data'];

/** Deposit events are in the stream of their address, so the revision is the address's. */
export function applyToDeposits(rows: DepositRows, event: AddressEvent, revision: number, recordedAt: string): void {
  if (!isAboutDeposit(event)) return;
  const id = event.type === 'DepositResolved' ? event.data.depositId : event.data.deposit.depositId;
  const known = rows.get(id);
  if (known !== undefined && known.revision >= revision) return;
  const isClassification = event.type !== 'DepositResolved';
  const row = isClassification ? classifiedRow(event.data, recordedAt) : (known ?? { id, isWhole: false, revision });
  rows.set(id, row);
  row.revision = revision;
  change(row, event);
}

function isAboutDeposit(event: AddressEvent): event is DepositEvent {
  return event.type !== 'PayAmountClaimed' && event.type !== 'ClaimLost' && event.type !== 'AmountsFreed';
}

/** The event has the whole deposit and replaces the row. */
function classifiedRow({ address, deposit, invoiceId }: Classification, recordedAt: string): DepositRow {
  return {
    id: deposit.depositId,
    isWhole: true,
    revision: 0,
    address,
    transaction_id: deposit.transactionId,
    log_index: deposit.logIndex,
    sender: deposit.from,
    amount: parseUsdt(deposit.amount),
    block_number: deposit.blockNumber,
    block_time: deposit.blockTime,
    invoice_id: invoiceId,
    judged_at: recordedAt,
  };
}

function change(row: DepositRow, { type, data }: DepositEvent): void {
  switch (type) {
    case 'DepositMatched':
      row.status = 'matched';
      row.late = data.late;
      row.for_review = false;
      return;
    case 'DepositUnmatched':
      row.status = 'unmatched';
      row.reason = data.reason;
      row.for_review = data.forReview;
      return;
    case 'DepositResolved': {
      const { outcome, note, invoiceId, resolvedAt } = data;
      row.status = 'resolved';
      row.invoice_id = invoiceId ?? row.invoice_id;
      row.resolution = { outcome, note, ...(invoiceId !== undefined && { invoiceId }), resolvedAt };
      return;
    }
    default:
      assertNever(type);
  }
}

export const saveDeposits = writerOfFoldedRows<DepositRow>('read_models.deposits', {
  id: ['uuid', 'settled'],
  address: ['text', 'settled'],
  transaction_id: ['text', 'settled'],
  log_index: ['integer', 'settled'],
  sender: ['text', 'settled'],
  amount: ['numeric', 'settled'],
  block_number: ['bigint', 'settled'],
  block_time: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  late: ['boolean', 'replaced'],
  reason: ['text', 'replaced'],
  invoice_id: ['uuid', 'replaced'],
  for_review: ['boolean', 'replaced'],
  judged_at: ['timestamptz', 'replaced'],
  resolution: ['jsonb', 'replaced'],
  revision: ['integer', 'replaced'],
});
