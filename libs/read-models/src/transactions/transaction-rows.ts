import { type Money, parseMoney } from '@florin/kernel';
import type { CardEvent, PaymentRecorded, TransactionStatus, TransactionType } from '@florin/operations-domain';
import { type FoldedRow, writerOfFoldedRows } from '../folded-rows';

/** With the column names of the table. */
export interface TransactionRow extends FoldedRow {
  company_id?: string;
  environment?: PaymentRecorded['data']['environment'];
  card_id?: string;
  reference?: string;
  type?: TransactionType;
  amount?: Money;
  currency?: string;
  merchant?: string;
  country?: string;
  description?: string;
  occurred_at?: string;
  status?: TransactionStatus;
}

export type TransactionRows = Map<string, TransactionRow>;

/** Payment events are in the stream of the card, so the revision is the card's. */
export function applyToTransactions(rows: TransactionRows, { type, data }: CardEvent, revision: number): void {
  if (type !== 'PaymentRecorded' && type !== 'PaymentChanged') return;
  const id = type === 'PaymentRecorded' ? data.payment.transactionId : data.transactionId;
  const known = rows.get(id);
  if (known !== undefined && known.revision >= revision) return;
  const row = type === 'PaymentRecorded' ? recordedRow(data) : (known ?? { id, isWhole: false, revision });
  rows.set(id, row);
  row.revision = revision;
  row.status = type === 'PaymentRecorded' ? data.payment.status : data.status;
}

function recordedRow({ companyId, environment, cardId, payment }: PaymentRecorded['data']): TransactionRow {
  return {
    id: payment.transactionId,
    isWhole: true,
    revision: 0,
    company_id: companyId,
    environment,
    card_id: cardId,
    reference: payment.reference,
    type: payment.type,
    amount: parseMoney(payment.amount),
    currency: payment.currency,
    merchant: payment.merchant,
    country: payment.country,
    description: payment.description,
    occurred_at: payment.occurredAt,
  };
}

export const saveTransactions = writerOfFoldedRows<TransactionRow>('read_models.transactions', {
  id: ['uuid', 'settled'],
  company_id: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  card_id: ['uuid', 'settled'],
  reference: ['text', 'settled'],
  type: ['text', 'settled'],
  amount: ['bigint', 'settled'],
  currency: ['text', 'settled'],
  merchant: ['text', 'settled'],
  country: ['text', 'settled'],
  description: ['text', 'settled'],
  occurred_at: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  revision: ['integer', 'replaced'],
});
