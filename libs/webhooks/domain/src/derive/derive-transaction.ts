import type { CardEvent, PaymentAnswer, PaymentChanged, PaymentRecorded } from '@florin/operations-domain';
import { type Derived, requirePrevious, updated } from './derived';

/** The object as in `GET /transactions/{id}`. */
export type TransactionObject = Omit<PaymentAnswer, 'transactionId' | 'clearing' | 'refundOf'> & {
  readonly id: string;
  readonly cardId: string;
  readonly updatedAt: string;
};

/** Payments are recorded in the events of the card. */
export function deriveTransaction(
  previous: TransactionObject | undefined,
  event: CardEvent,
  updatedAt: string,
): Derived<TransactionObject> | undefined {
  switch (event.type) {
    case 'PaymentRecorded':
      return { type: 'transaction.created', object: { ...recorded(event.data), updatedAt } };
    case 'PaymentChanged': {
      const known = requirePrevious(previous, event);
      const derived = updated('transaction.updated', known, changesBy(event, known));
      return derived && { ...derived, object: { ...derived.object, updatedAt } };
    }
    default:
      return undefined;
  }
}

function recorded(data: PaymentRecorded['data']): Omit<TransactionObject, 'updatedAt'> {
  const { cardId, payment, authorized: authorizedAmount, cleared: clearedAmount, declineReason } = data;
  const { transactionId: id, clearing: _clearing, refundOf: _refundOf, ...paid } = payment;
  return {
    id,
    cardId,
    ...paid,
    authorizedAmount,
    clearedAmount,
    ...(declineReason !== undefined && { declineReason }),
  };
}

/** Objects and events of the first release do not have the amounts: a payment was cleared as a whole or not at all. */
function changesBy(
  { data: { status, cleared } }: PaymentChanged,
  known: TransactionObject,
): Partial<TransactionObject> {
  const { amount, type, authorizedAmount } = known as TransactionObject & Partial<TransactionObject>;
  const clearedAmount = cleared ?? (status === 'completed' ? amount : '0.00');
  const isDebit = type !== 'refund' && type !== 'verification';
  return { status, clearedAmount, authorizedAmount: authorizedAmount ?? (isDebit ? amount : '0.00') };
}
