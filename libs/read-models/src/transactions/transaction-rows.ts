import { parseMoney } from '@florin/kernel';
import type { CardEvent, PaymentRecorded, TransactionStatus } from '@florin/operations-domain';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';

const columns = {
  id: ['uuid', 'settled'],
  companyId: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  cardId: ['uuid', 'settled'],
  reference: ['text', 'settled'],
  type: ['text', 'settled'],
  amount: ['bigint', 'settled'],
  currency: ['text', 'settled'],
  merchant: ['text', 'settled'],
  country: ['text', 'settled'],
  description: ['text', 'settled'],
  occurredAt: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
} as const satisfies FoldedColumns;

type TransactionRow = FoldedRowOf<typeof columns> & { status?: TransactionStatus };
export type TransactionRows = Map<string, TransactionRow>;

/** Payment events are in the stream of the card, so the revision is the card's. */
export function applyToTransactions(rows: TransactionRows, { type, data }: CardEvent, revision: number): void {
  if (type !== 'PaymentRecorded' && type !== 'PaymentChanged') return;
  const isFirst = type === 'PaymentRecorded';
  const id = isFirst ? data.payment.transactionId : data.transactionId;
  const row = rowToChange(rows, id, revision, isFirst ? recordedRow(data) : undefined);
  if (row !== undefined) row.status = isFirst ? data.payment.status : data.status;
}

function recordedRow({ companyId, environment, cardId, payment }: PaymentRecorded['data']): TransactionRow {
  return {
    id: payment.transactionId,
    isWhole: true,
    revision: 0,
    companyId,
    environment,
    cardId,
    reference: payment.reference,
    type: payment.type,
    amount: parseMoney(payment.amount),
    currency: payment.currency,
    merchant: payment.merchant,
    country: payment.country,
    description: payment.description,
    occurredAt: payment.occurredAt,
  };
}

export const saveTransactions = writerOfFoldedRows('read_models.transactions', columns);
