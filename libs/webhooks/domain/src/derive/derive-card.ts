import { assertNever } from '@florin/kernel';
import type { CardAnswer, CardEvent, CardIssued } from '@florin/operations-domain';
import { type Derived, requirePrevious, updated } from './derived';

/** The object as in `GET /cards/{id}`. */
export type CardObject = Omit<CardAnswer, 'cardId'> & { readonly id: string };

export function deriveCard(previous: CardObject | undefined, event: CardEvent): Derived<CardObject> | undefined {
  if (event.type === 'CardIssued') return { type: 'card.created', object: issued(event.data) };
  return updated('card.updated', requirePrevious(previous, event), changesBy(event));
}

function issued(facts: CardIssued['data']): CardObject {
  const { cardId: id, name, holderId, last4, amount: balance, productId, createdAt } = facts;
  return { id, name, holderId, last4, status: 'active', balance, productId, createdAt };
}

function changesBy({ type, data }: Exclude<CardEvent, CardIssued>): Partial<CardObject> {
  switch (type) {
    case 'CardFrozen':
      return { status: 'frozen' };
    case 'CardUnfrozen':
      return { status: 'active' };
    case 'CardClosed':
      return { status: 'closed' };
    case 'CardToppedUp':
    case 'PaymentRecorded':
    case 'PaymentChanged':
      return { balance: data.balance };
    default:
      return assertNever(type);
  }
}
