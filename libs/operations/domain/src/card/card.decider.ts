import {
  type Aggregate,
  assert,
  assertNever,
  formatMoney,
  isBeyondHorizon,
  isDeterministicId,
  type Money,
  noRequests,
  parseMoney,
  type Refusal,
  refuse,
  rememberRequest,
  requestOutdated,
} from '@florin/kernel';
import { addReport, paymentOf, reportPayment } from './card-payments';
import type { Card, CardDecision, CardState } from './card-state';
import {
  type CardAnswer,
  type CardCommand,
  type CardEvent,
  cardEventVersions,
  type CardFrozen,
  type CardIssued,
  type CardPayment,
  type CardRefusal,
  type CloseCard,
  type FreezeCard,
  type IssueCard,
  type TopUpCard,
  type UnfreezeCard,
} from './card.messages';

export const cardAggregate: Aggregate<CardState, CardCommand, CardEvent, CardRefusal, CardAnswer> = {
  category: 'card',
  stateVersion: 1,
  versions: cardEventVersions,

  initialState: () => undefined,

  decide: (command, card) => {
    if (command.type === 'IssueCard') return issue(command, card);
    if (card === undefined) return noSuchCard();
    if (command.type === 'TopUpCard') return topUp(command, card);
    // The same refusal as for an unknown card, to not reveal that the card exists.
    if (command.data.accountId !== card.issued.accountId) return noSuchCard();
    return command.type === 'ReportPayment' ? reportPayment(command, card) : changeStatus(command, card);
  },

  evolve: (card, event) => {
    if (event.type === 'CardIssued') return newCard(event.data);
    assert(card !== undefined, () => `${event.type} precedes the CardIssued event of card ${event.data.cardId}`);
    switch (event.type) {
      case 'CardToppedUp':
        card.topups.set(event.data.operationId, event.data.amount);
        card.balance = parseMoney(event.data.balance);
        return card;
      case 'CardFrozen':
      case 'CardUnfrozen':
      case 'CardClosed':
        card.status = cardStatusAfter[event.type];
        rememberStatusChange(card, event.data);
        return card;
      case 'PaymentRecorded':
        card.payments.set(event.data.payment.transactionId, paymentOf(event));
        card.balance = parseMoney(event.data.balance);
        return card;
      case 'PaymentChanged':
        addReport(card.payments, event);
        card.balance = parseMoney(event.data.balance);
        return card;
      default:
        return assertNever(event);
    }
  },

  answer: cardAnswer,
};

/** The current card or, for a status change, the card right after that change. */
export function cardAnswer(card: CardState, command?: CardCommand): CardAnswer {
  assert(card !== undefined, 'the card must exist after an accepted command');
  const { cardId, name, holderId, last4, productId, createdAt } = card.issued;
  return {
    cardId,
    name,
    holderId,
    last4,
    ...(command === undefined ? statusAndBalance(card) : statusAndBalanceAfter(command, card)),
    productId,
    createdAt,
  };
}

function statusAndBalance({ status, balance }: Card) {
  return { status, balance: formatMoney(balance) };
}

function statusAndBalanceAfter({ type, data }: CardCommand, card: Card) {
  if (type !== 'FreezeCard' && type !== 'UnfreezeCard' && type !== 'CloseCard') return statusAndBalance(card);
  const balance = balanceAtRequest(card, data.requestId) ?? card.balance;
  return { status: cardStatusAfter[transitions[type].event], balance: formatMoney(balance) };
}

/** The payment with the status that the card gave it. */
export function paymentAnswer(card: CardState, payment: CardPayment): CardPayment {
  const known = card?.payments.get(payment.transactionId);
  assert(known !== undefined, () => `payment ${payment.transactionId} must exist after an accepted report`);
  return { ...payment, status: known.status };
}

function newCard(issued: CardIssued['data']): Card {
  const balance = parseMoney(issued.amount);
  const requests = { requests: noRequests<Money>(), oldRequests: new Map() };
  return { issued, status: 'active', balance, topups: new Map(), ...requests, payments: new Map() };
}

function rememberStatusChange(card: Card, { requestId, requestedAt, balance }: CardFrozen['data']): void {
  if (balance === undefined && isDeterministicId(requestId)) card.oldRequests.set(requestId, card.balance);
  else rememberRequest(card.requests, requestId, requestedAt, card.balance);
}

/** Undefined if the request was not accepted, or is forgotten. */
function balanceAtRequest({ requests, oldRequests }: Card, requestId: string): Money | undefined {
  return requests.accepted.get(requestId)?.content ?? oldRequests.get(requestId);
}

function issue({ data }: IssueCard, card: CardState): CardDecision {
  if (card !== undefined) {
    if (isSameOrder(card.issued, data)) return [];
    return refuse('card_exists', `Card ${data.cardId} is already issued; use another id`);
  }
  assert(parseMoney(data.amount) > 0n, () => `card ${data.cardId} is issued with ${data.amount}`);
  return [{ type: 'CardIssued', data }];
}

/** Compares the order only. Timestamps and names may differ when an operation resumes after a crash. */
function isSameOrder(issued: CardIssued['data'], data: IssueCard['data']): boolean {
  return (
    issued.operationId === data.operationId &&
    issued.accountId === data.accountId &&
    issued.holderId === data.holderId &&
    issued.productId === data.productId &&
    issued.amount === data.amount
  );
}

/** Ignores the card status because the money has already left the account. */
function topUp({ data }: TopUpCard, card: Card): CardDecision {
  const { cardId, operationId, amount } = data;
  const known = card.topups.get(operationId);
  if (known === amount) return [];
  assert(known === undefined, () => `operation ${operationId} topped up ${known} before and ${amount} now`);
  const money = parseMoney(amount);
  assert(money > 0n, () => `card ${cardId} is topped up with ${amount}`);
  const { companyId, environment } = card.issued;
  const balance = formatMoney(card.balance + money);
  return [{ type: 'CardToppedUp', data: { cardId, companyId, environment, operationId, amount, balance } }];
}

export const cardStatusAfter = { CardFrozen: 'frozen', CardUnfrozen: 'active', CardClosed: 'closed' } as const;

const transitions = {
  FreezeCard: { event: 'CardFrozen', from: ['active', 'frozen'], hint: 'only an active card can be frozen' },
  UnfreezeCard: { event: 'CardUnfrozen', from: ['frozen', 'active'], hint: 'only a frozen card can be unfrozen' },
  CloseCard: {
    event: 'CardClosed',
    from: ['active', 'frozen', 'closed'],
    hint: 'only an active or frozen card can be closed',
  },
} as const;

/**
 * Records the request even if the card already has the status. Otherwise a late duplicate would undo a newer status
 * change.
 */
function changeStatus({ type, data }: FreezeCard | UnfreezeCard | CloseCard, card: Card): CardDecision {
  const { event, from, hint } = transitions[type];
  const { cardId, requestId, requestedAt } = data;
  if (balanceAtRequest(card, requestId) !== undefined) return [];
  if (requestedAt !== undefined && isBeyondHorizon(card.requests, requestedAt)) return requestOutdated(requestedAt);
  if (!from.some((status) => status === card.status)) {
    return refuse('card_not_active', `The card is ${card.status}, and ${hint}: use another card`);
  }
  const { companyId, environment } = card.issued;
  const balance = formatMoney(card.balance);
  return [{ type: event, data: { cardId, companyId, environment, requestId, requestedAt, balance } }];
}

function noSuchCard(): Refusal<CardRefusal> {
  return refuse('not_found', 'There is no such card: check the card id');
}
