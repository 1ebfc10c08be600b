import { parseMoney } from '@florin/kernel';
import type { CardEvent, PaymentChanged, PaymentRecorded, TransactionStatus } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
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
  authorizedAmount: ['bigint', 'settled'],
  clearedAmount: ['bigint', 'replaced'],
  originalAmount: ['bigint', 'settled'],
  originalCurrency: ['text', 'settled'],
  merchantCategory: ['text', 'settled'],
  declineReason: ['text', 'settled'],
  updatedAt: ['timestamptz', 'replaced'],
} as const satisfies FoldedColumns;

type TransactionRow = FoldedRowOf<typeof columns> & {
  status?: TransactionStatus;
  /** The newest event does not have the cleared amount, because it is from the first release. */
  isClearedUnknown?: boolean;
};
export type TransactionRows = Map<string, TransactionRow>;

export type PaymentEvent = PaymentRecorded | PaymentChanged;

export function isPaymentEvent(event: CardEvent): event is PaymentEvent {
  return event.type === 'PaymentRecorded' || event.type === 'PaymentChanged';
}

export function transactionIdIn({ type, data }: PaymentEvent): string {
  return type === 'PaymentRecorded' ? data.payment.transactionId : data.transactionId;
}

/** Payment events are in the stream of the card, so the revision is the card's. */
export function applyToTransactions(
  rows: TransactionRows,
  event: CardEvent,
  revision: number,
  recordedAt: string,
): void {
  if (!isPaymentEvent(event)) return;
  const { type, data } = event;
  const first = type === 'PaymentRecorded' ? recordedRow(data) : undefined;
  const row = rowToChange(rows, transactionIdIn(event), revision, first);
  if (row === undefined) return;
  row.updatedAt = transactionUpdatedAt(event, recordedAt);
  if (type !== 'PaymentChanged') return;
  row.status = data.status;
  row.isClearedUnknown = data.cleared === undefined;
  if (data.cleared !== undefined) row.clearedAmount = parseMoney(data.cleared);
}

/** The time of the report if a response has returned it, otherwise that of the event. */
export function transactionUpdatedAt({ data }: PaymentEvent, recordedAt: string): string {
  return data.reportedAt ?? recordedAt;
}

function recordedRow(data: PaymentRecorded['data']): TransactionRow {
  const { companyId, environment, cardId, payment, authorized, cleared, declineReason } = data;
  const { originalAmount } = payment;
  return {
    id: payment.transactionId,
    isWhole: true,
    isNew: true,
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
    status: payment.status,
    authorizedAmount: parseMoney(authorized),
    clearedAmount: parseMoney(cleared),
    originalAmount: originalAmount === undefined ? undefined : parseMoney(originalAmount),
    originalCurrency: payment.originalCurrency,
    merchantCategory: payment.merchantCategory,
    declineReason,
  };
}

export const saveTransactions = writerOfFoldedRows('read_models.transactions', columns);

const amountsOfOldEvents = {
  name: 'amounts-of-old-payment-events',
  text: `
    UPDATE read_models.transactions AS payment
    SET cleared_amount = CASE WHEN payment.status = 'completed' THEN payment.amount ELSE 0 END
    FROM unnest($1::uuid[], $2::integer[]) AS old (id, revision)
    WHERE payment.id = old.id AND payment.revision = old.revision`,
};

/** After the rows are saved. In the first release, a payment was cleared as a whole or not at all. */
export async function saveAmountsOfOldEvents(rows: TransactionRows, tx: PoolClient): Promise<void> {
  const old = [...rows.values()].filter(({ isClearedUnknown }) => isClearedUnknown);
  if (old.length === 0) return;
  const values = [old.map(({ id }) => id), old.map(({ revision }) => revision)];
  await tx.query({ ...amountsOfOldEvents, values });
}
