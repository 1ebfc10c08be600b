import {
  type Aggregate,
  assert,
  assertNever,
  isBeyondHorizon,
  isDeterministicId,
  noRequests,
  parseMoney,
  type Refusal,
  refuse,
  rememberRequest,
  requestOutdated,
} from '@florin/kernel';
import { applyChange, applyStatus, changeCard, reportStatus } from './card-changes';
import { refusalToClose } from './card-closing';
import { reportPayment } from './card-payments';
import {
  type Card,
  type CardDecision,
  type CardState,
  changeOf,
  setBalance,
  type StatusAndMoney,
  statusAndMoney,
} from './card-state';
import { cancelTopup, endTopup, loadTopup, noTopups, startTopup, topUp } from './card-topups';
import { addUnload, captureUnload, endUnload, noUnloads, releaseUnload, reserveUnload } from './card-unloads';
import {
  type CardAnswer,
  type CardCommand,
  type CardEvent,
  cardEventVersions,
  type CardFrozen,
  type CardIssued,
  type CardRefusal,
  type CloseCard,
  type FreezeCard,
  type IssueCard,
  type UnfreezeCard,
} from './card.messages';
import { addPayment, changePayment } from './recorded-payments';
import { noSpending } from './spending';

export const cardAggregate: Aggregate<CardState, CardCommand, CardEvent, CardRefusal, CardAnswer> = {
  category: 'card',
  stateVersion: 4,
  versions: cardEventVersions,

  initialState: () => undefined,

  decide: (command, card) => {
    if (command.type === 'IssueCard') return issue(command, card);
    if (card === undefined) return noSuchCard();
    // The same refusal as for an unknown card, to not reveal that the card exists.
    if ('accountId' in command.data && command.data.accountId !== card.issued.accountId) return noSuchCard();
    switch (command.type) {
      case 'StartTopup':
        return startTopup(command, card);
      case 'TopUpCard':
        return topUp(command, card);
      case 'CancelTopup':
        return cancelTopup(command, card);
      case 'ReserveUnload':
        return reserveUnload(command, card);
      case 'CaptureUnload':
        return captureUnload(command, card);
      case 'ReleaseUnload':
        return releaseUnload(command, card);
      case 'ReportPayment':
        return reportPayment(command, card);
      case 'ReportCardStatus':
        return reportStatus(command, card);
      case 'ChangeCard':
        return changeCard(command, card);
      default:
        return changeStatus(command, card);
    }
  },

  evolve: (card, event) => {
    if (event.type === 'CardIssued') return newCard(event.data);
    assert(card !== undefined, () => `${event.type} precedes the CardIssued event of card ${event.data.cardId}`);
    switch (event.type) {
      case 'CardToppedUp':
        loadTopup(card, event.data);
        setBalance(card, event.data.after);
        return card;
      case 'TopupStarted':
        card.topups.started.set(event.data.operationId, event.data.amount);
        return card;
      case 'TopupCanceled':
        endTopup(card, event.data);
        return card;
      case 'UnloadReserved':
        addUnload(card, event);
        setBalance(card, event.data.after);
        return card;
      case 'CardUnloaded':
        endUnload(card, event, 'captured');
        setBalance(card, event.data.after);
        return card;
      case 'UnloadReleased':
        endUnload(card, event, 'released');
        setBalance(card, event.data.after);
        return card;
      case 'CardFrozen':
      case 'CardUnfrozen':
      case 'CardClosed':
        card.status = cardStatusAfter[event.type];
        rememberStatusChange(card, event.data);
        return card;
      case 'CardActivated':
      case 'CardBlocked':
      case 'CardUnblocked':
      case 'CardExpired':
        applyStatus(card, event);
        return card;
      case 'CardChanged':
        applyChange(card, event);
        return card;
      case 'PaymentRecorded':
        addPayment(card, event);
        setBalance(card, event.data.after);
        return card;
      case 'PaymentChanged':
        changePayment(card, event);
        setBalance(card, event.data.after);
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
  const { name, limits, metadata } = card;
  const { cardId, holderId, last4, productId, createdAt } = card.issued;
  return {
    cardId,
    name,
    holderId,
    last4,
    ...(command === undefined ? statusAndMoney(card) : statusAfter(command, card)),
    limits,
    metadata,
    productId,
    createdAt,
  };
}

function statusAfter({ data }: CardCommand, card: Card) {
  if (!('requestId' in data)) return statusAndMoney(card);
  const { content, requestedAt } = card.requests.accepted.get(data.requestId) ?? {};
  return { ...(content ?? card.oldRequests.get(data.requestId) ?? statusAndMoney(card)), updatedAt: requestedAt };
}

function newCard(issued: CardIssued['data']): Card {
  const balance = parseMoney(issued.amount);
  const requests = { requests: noRequests<StatusAndMoney>(), oldRequests: new Map() };
  const operations = { topups: noTopups(), unloads: noUnloads() };
  return {
    issued,
    status: issued.status ?? 'active',
    ...{ name: issued.name, metadata: {}, limits: {} },
    ...{ balance, held: 0n, ...operations },
    ...{ ...requests, payments: new Map(), spending: noSpending() },
  };
}

function rememberStatusChange(card: Card, { requestId, requestedAt, after }: CardFrozen['data']): void {
  if (after === undefined && isDeterministicId(requestId)) card.oldRequests.set(requestId, statusAndMoney(card));
  else rememberRequest(card.requests, requestId, requestedAt, statusAndMoney(card));
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

export const cardStatusAfter = { CardFrozen: 'frozen', CardUnfrozen: 'active', CardClosed: 'closed' } as const;

const transitions = {
  FreezeCard: { event: 'CardFrozen', from: ['active', 'frozen'], hint: 'only an active card can be frozen' },
  UnfreezeCard: { event: 'CardUnfrozen', from: ['frozen', 'active'], hint: 'only a frozen card can be unfrozen' },
  CloseCard: {
    event: 'CardClosed',
    from: ['active', 'frozen', 'blocked', 'expired', 'closed'],
    hint: 'a card that is not active yet cannot be closed',
  },
} as const;

/**
 * Records the request even if the card already has the status. Otherwise a late duplicate would undo a newer status
 * change.
 */
function changeStatus({ type, data }: FreezeCard | UnfreezeCard | CloseCard, card: Card): CardDecision {
  const { event, from, hint } = transitions[type];
  const { requestId, requestedAt } = data;
  if (card.requests.accepted.has(requestId) || card.oldRequests.has(requestId)) return [];
  if (requestedAt !== undefined && isBeyondHorizon(card.requests, requestedAt)) return requestOutdated(requestedAt);
  if (!from.some((status) => status === card.status)) {
    return refuse('card_not_active', `The card is ${card.status}, and ${hint}: use another card`);
  }
  const remaining = type === 'CloseCard' ? refusalToClose(card, data.unfinishedOperations) : undefined;
  if (remaining !== undefined) return remaining;
  return [{ type: event, data: { ...changeOf(card, {}), requestId, requestedAt } }];
}

function noSuchCard(): Refusal<CardRefusal> {
  return refuse('not_found', 'There is no such card: check the card id');
}
