import type { CardEvent, CardPayment, PaymentRecorded } from '@florin/operations-domain';
import { type Derived, requirePrevious, updated } from './derived';

/** The object as in `GET /transactions`. */
export type TransactionObject = Omit<CardPayment, 'transactionId'> & { readonly id: string; readonly cardId: string };

/** Payments are recorded in the events of the card. */
export function deriveTransaction(
  previous: TransactionObject | undefined,
  event: CardEvent,
): Derived<TransactionObject> | undefined {
  switch (event.type) {
    case 'PaymentRecorded':
      return { type: 'transaction.created', object: recorded(event.data) };
    case 'PaymentChanged':
      return updated('transaction.updated', requirePrevious(previous, event), { status: event.data.status });
    default:
      return undefined;
  }
}

function recorded({ cardId, payment }: PaymentRecorded['data']): TransactionObject {
  const { transactionId: id, reference, type, status, amount, currency, ...rest } = payment;
  const { merchant, country, description, occurredAt } = rest;
  return {
    ...{ id, cardId, reference, type, status, amount, currency },
    ...{ merchant, country, description, occurredAt },
  };
}
