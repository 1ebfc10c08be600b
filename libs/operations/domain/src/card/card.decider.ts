import { assert, assertNever, type Decider, formatMoney, parseMoney, refuse } from '@florin/kernel';
import type { Refusal } from '@florin/kernel';
import { addReport, paymentOf, reportPayment } from './card-payments';
import type { Card, CardDecision, CardState } from './card-state';
import type {
  CardAnswer,
  CardCommand,
  CardEvent,
  CardIssued,
  CardPayment,
  CardRefusal,
  CloseCard,
  FreezeCard,
  IssueCard,
  TopUpCard,
  UnfreezeCard,
} from './card.messages';

export const cardDecider: Decider<CardState, CardCommand, CardEvent, CardRefusal> = {
  category: 'card',

  initialState: () => undefined,

  decide: (command, card) => {
    if (command.type === 'IssueCard') return issue(command, card);
    if (card === undefined) return noSuchCard();
    if (command.type === 'TopUpCard') return topUp(command, card);
    // To another company the card does not exist: an answer of its own would tell that it does.
    if (command.data.accountId !== card.issued.accountId) return noSuchCard();
    return command.type === 'ReportPayment' ? reportPayment(command, card) : grant(command, card);
  },

  evolve: (card, event) => {
    if (event.type === 'CardIssued') return newCard(event.data);
    assert(card !== undefined, () => `${event.type} comes before the issue of card ${event.data.cardId}`);
    switch (event.type) {
      case 'CardToppedUp':
        card.topups.set(event.data.operationId, event.data.amount);
        card.balance = parseMoney(event.data.balance);
        return card;
      case 'CardFrozen':
      case 'CardUnfrozen':
      case 'CardClosed':
        card.status = statusAfter[event.type];
        card.granted.set(event.data.requestId, card.balance);
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
};

/** The card as it is now or, for a wish, as it was when the wish was granted. */
export function cardAnswer(card: CardState, command?: CardCommand): CardAnswer {
  assert(card !== undefined, 'an accepted command leaves a card behind');
  const { cardId, name, holderId, last4, productId, createdAt } = card.issued;
  return {
    cardId,
    name,
    holderId,
    last4,
    ...(command === undefined ? standingOf(card) : standingAfter(command, card)),
    productId,
    createdAt,
  };
}

function standingOf({ status, balance }: Card) {
  return { status, balance: formatMoney(balance) };
}

function standingAfter({ type, data }: CardCommand, card: Card) {
  if (type !== 'FreezeCard' && type !== 'UnfreezeCard' && type !== 'CloseCard') return standingOf(card);
  const balance = card.granted.get(data.requestId) ?? card.balance;
  return { status: statusAfter[wishes[type].event], balance: formatMoney(balance) };
}

/** The payment with the status that the card gave it. */
export function paymentAnswer(card: CardState, payment: CardPayment): CardPayment {
  const known = card?.payments.get(payment.transactionId);
  assert(known !== undefined, () => `an accepted report leaves payment ${payment.transactionId} behind`);
  return { ...payment, status: known.status };
}

function newCard(issued: CardIssued['data']): Card {
  const balance = parseMoney(issued.amount);
  return { issued, status: 'active', balance, topups: new Map(), granted: new Map(), payments: new Map() };
}

function issue({ data }: IssueCard, card: CardState): CardDecision {
  if (card !== undefined) {
    if (isSameOrder(card.issued, data)) return [];
    return refuse('card_exists', `Card ${data.cardId} has been issued already; use another id`);
  }
  assert(parseMoney(data.amount) > 0n, () => `card ${data.cardId} is issued with ${data.amount}`);
  return [{ type: 'CardIssued', data }];
}

/** What the order says counts. Times and texts may come out otherwise when an operation goes on after a crash. */
function isSameOrder(issued: CardIssued['data'], data: IssueCard['data']): boolean {
  return (
    issued.operationId === data.operationId &&
    issued.accountId === data.accountId &&
    issued.holderId === data.holderId &&
    issued.productId === data.productId &&
    issued.amount === data.amount
  );
}

/** The money has left the account by now, so that the status of the card has no say. */
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

const statusAfter = { CardFrozen: 'frozen', CardUnfrozen: 'active', CardClosed: 'closed' } as const;

const wishes = {
  FreezeCard: { event: 'CardFrozen', from: ['active', 'frozen'], hint: 'only an active card can be frozen' },
  UnfreezeCard: { event: 'CardUnfrozen', from: ['frozen', 'active'], hint: 'only a frozen card can be unfrozen' },
  CloseCard: {
    event: 'CardClosed',
    from: ['active', 'frozen', 'closed'],
    hint: 'only an active or frozen card can be closed',
  },
} as const;

/**
 * A wish for what the card is already is granted and noted all the same: a duplicate of it that arrives late must not
 * undo what was wished for since.
 */
function grant({ type, data }: FreezeCard | UnfreezeCard | CloseCard, card: Card): CardDecision {
  const { event, from, hint } = wishes[type];
  const { cardId, requestId } = data;
  if (card.granted.has(requestId)) return [];
  if (!from.some((status) => status === card.status)) {
    return refuse('card_not_active', `The card is ${card.status}, and ${hint}: use another card`);
  }
  const { companyId, environment } = card.issued;
  return [{ type: event, data: { cardId, companyId, environment, requestId } }];
}

function noSuchCard(): Refusal<CardRefusal> {
  return refuse('not_found', 'There is no such card: check the card id');
}
