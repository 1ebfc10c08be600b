import { assertNever } from '@florin/kernel';
import type { CardAnswer, CardChanged, CardEvent, CardIssued, MoneyAfter } from '@florin/operations-domain';
import { type Derived, requirePrevious, updated } from './derived';

/** The object as in `GET /cards/{id}`. */
export type CardObject = Omit<CardAnswer, 'cardId'> & { readonly id: string; readonly updatedAt: string };

export function deriveCard(
  previous: CardObject | undefined,
  event: CardEvent,
  updatedAt: string,
): Derived<CardObject> | undefined {
  if (event.type === 'CardIssued') return { type: 'card.created', object: { ...issued(event.data), updatedAt } };
  const known = complete(requirePrevious(previous, event));
  const derived = updated('card.updated', known, changesBy(event));
  return derived && { ...derived, object: { ...derived.object, updatedAt } };
}

/** Objects that the first release published have fewer fields. */
function complete(card: CardObject): CardObject {
  return { ...{ available: card.balance, limits: {}, metadata: {} }, ...(card as Partial<CardObject>) } as CardObject;
}

function issued(facts: CardIssued['data']): Omit<CardObject, 'updatedAt'> {
  const { cardId: id, name, holderId, last4, amount, productId, createdAt } = facts;
  const { status = 'active' } = facts;
  const changing = { status, balance: amount, available: amount, limits: {}, metadata: {} };
  return { id, name, holderId, last4, ...changing, productId, createdAt };
}

function changesBy({ type, data }: Exclude<CardEvent, CardIssued>): Partial<CardObject> {
  switch (type) {
    case 'CardFrozen':
      return { status: 'frozen' };
    case 'CardUnfrozen':
      return { status: 'active' };
    case 'CardClosed':
      return { status: 'closed' };
    case 'CardActivated':
    case 'CardBlocked':
    case 'CardUnblocked':
    case 'CardExpired':
      return { status: data.status };
    case 'CardChanged':
      return changesOf(data);
    case 'TopupStarted':
    case 'TopupCanceled':
      return {};
    case 'CardToppedUp':
    case 'UnloadReserved':
    case 'CardUnloaded':
    case 'UnloadReleased':
    case 'PaymentRecorded':
    case 'PaymentChanged':
      return moneyAfter(data.after);
    default:
      return assertNever(type);
  }
}

/** An event of the first release has only the available amount, which that release published as `balance`. */
function moneyAfter({ available, balance = available }: MoneyAfter): Partial<CardObject> {
  return { balance, available };
}

function changesOf({ name, limits, metadata }: CardChanged['data']): Partial<CardObject> {
  return {
    ...(name !== undefined && { name }),
    ...(limits !== undefined && { limits }),
    ...(metadata !== undefined && { metadata }),
  };
}
