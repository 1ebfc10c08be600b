import { assert, parseMoney, refuse } from '@florin/kernel';
import { type Card, type CardDecision, changeOf, type Topups } from './card-state';
import type { CancelTopup, CardToppedUp, StartTopup, TopUpCard, TopupCanceled } from './card.messages';

export function noTopups(): Topups {
  return { started: new Map(), loaded: new Map(), canceled: new Set() };
}

/** Right before the issuer call: from here on, the card cannot be closed until the operation has ended. */
export function startTopup({ data: { operationId, amount } }: StartTopup, card: Card): CardDecision {
  const { started, loaded, canceled } = card.topups;
  if (started.has(operationId) || loaded.has(operationId)) return [];
  if (canceled.has(operationId)) return refuse('topup_canceled', `Top-up ${operationId} was canceled`);
  if (card.status !== 'active') {
    return refuse('card_not_active', `The card is ${card.status}, and only active cards are topped up`);
  }
  const { cardId, companyId, environment } = card.issued;
  return [{ type: 'TopupStarted', data: { cardId, companyId, environment, operationId, amount } }];
}

/** Recorded even if the top-up was not started: its start may still be on the way. */
export function cancelTopup({ data: { operationId } }: CancelTopup, card: Card): CardDecision {
  const { loaded, canceled } = card.topups;
  assert(!loaded.has(operationId), () => `operation ${operationId} has topped up the card and is canceled`);
  if (canceled.has(operationId)) return [];
  const { cardId, companyId, environment } = card.issued;
  return [{ type: 'TopupCanceled', data: { cardId, companyId, environment, operationId } }];
}

/** Ignores the card status because the money has already left the account. An operation of the first release is not started. */
export function topUp({ data }: TopUpCard, card: Card): CardDecision {
  const { cardId, operationId, amount } = data;
  const { started, loaded, canceled } = card.topups;
  const known = loaded.get(operationId) ?? started.get(operationId);
  assert(known === undefined || known === amount, () => `operation ${operationId} topped up ${known}, now ${amount}`);
  if (loaded.has(operationId)) return [];
  assert(!canceled.has(operationId), () => `operation ${operationId} was canceled and tops up ${amount}`);
  const money = parseMoney(amount);
  assert(money > 0n, () => `card ${cardId} is topped up with ${amount}`);
  return [{ type: 'CardToppedUp', data: { ...changeOf(card, { balance: money }), operationId, amount } }];
}

export function loadTopup({ topups }: Card, { operationId, amount }: CardToppedUp['data']): void {
  topups.started.delete(operationId);
  topups.loaded.set(operationId, amount);
}

export function endTopup({ topups }: Card, { operationId }: TopupCanceled['data']): void {
  topups.started.delete(operationId);
  topups.canceled.add(operationId);
}
