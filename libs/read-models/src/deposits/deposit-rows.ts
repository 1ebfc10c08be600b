import type { AddressEvent, DepositMatched, DepositResolved, DepositUnmatched } from '@florin/invoicing-domain';
import { type Actor, assertNever, parseUsdt } from '@florin/kernel';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';
import type { DepositResolution, DepositStatus } from './deposits.views';

const columns = {
  id: ['uuid', 'settled'],
  address: ['text', 'settled'],
  transactionId: ['text', 'settled'],
  logIndex: ['integer', 'settled'],
  sender: ['text', 'settled'],
  amount: ['numeric', 'settled'],
  blockNumber: ['bigint', 'settled'],
  blockTime: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  late: ['boolean', 'replaced'],
  reason: ['text', 'replaced'],
  invoiceId: ['uuid', 'replaced'],
  forReview: ['boolean', 'replaced'],
  judgedAt: ['timestamptz', 'replaced'],
  resolution: ['jsonb', 'replaced'],
} as const satisfies FoldedColumns;

type DepositRow = FoldedRowOf<typeof columns> & { status?: DepositStatus; resolution?: DepositResolution };
export type DepositRows = Map<string, DepositRow>;

type DepositEvent = DepositMatched | DepositUnmatched | DepositResolved;
type Classification = DepositMatched['data'] | DepositUnmatched['data'];

/** Deposit events are in the stream of their address, so the revision is the address's. */
export function applyToDeposits(
  rows: DepositRows,
  event: AddressEvent,
  revision: number,
  recordedAt: string,
  actor: Actor | undefined,
): void {
  if (!isAboutDeposit(event)) return;
  const isResolved = event.type === 'DepositResolved';
  const id = isResolved ? event.data.depositId : event.data.deposit.depositId;
  const row = rowToChange(rows, id, revision, isResolved ? undefined : classifiedRow(event.data, recordedAt));
  if (row !== undefined) change(row, event, actor);
}

function isAboutDeposit(event: AddressEvent): event is DepositEvent {
  return event.type === 'DepositMatched' || event.type === 'DepositUnmatched' || event.type === 'DepositResolved';
}

/** The event has the whole deposit and replaces the row. */
function classifiedRow({ address, deposit, invoiceId }: Classification, recordedAt: string): DepositRow {
  return {
    ...deposit,
    id: deposit.depositId,
    isWhole: true,
    revision: 0,
    address,
    sender: deposit.from,
    amount: parseUsdt(deposit.amount),
    invoiceId,
    judgedAt: recordedAt,
  };
}

function change(row: DepositRow, { type, data }: DepositEvent, actor: Actor | undefined): void {
  switch (type) {
    case 'DepositMatched':
      row.status = 'matched';
      row.late = data.late;
      row.forReview = false;
      return;
    case 'DepositUnmatched':
      row.status = 'unmatched';
      row.reason = data.reason;
      row.forReview = data.forReview;
      return;
    case 'DepositResolved': {
      const { outcome, note, invoiceId, resolvedAt } = data;
      row.status = 'resolved';
      row.invoiceId = invoiceId ?? row.invoiceId;
      row.resolution = { outcome, note, ...(invoiceId !== undefined && { invoiceId }), resolvedAt, resolvedBy: actor };
      return;
    }
    default:
      assertNever(type);
  }
}

export const saveDeposits = writerOfFoldedRows('read_models.deposits', columns);
