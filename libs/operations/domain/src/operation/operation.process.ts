import { assert, assertNever } from '@florin/kernel';
import type { CaptureReservation, FundsReserved, ReleaseReservation } from '@florin/ledger-domain';
import type { CardCommand, CardRefusal } from '../card/card.messages';
import type { TransactionClaimed } from '../transaction/transaction.messages';
import type { OperationCommand, OperationEvent, OperationOrder } from './operation.messages';
import { isOverdue, type OperationState } from './operation.state';
import type { AdvanceOperation } from './request.messages';

/** A command that has to be carried out, and where it goes. */
export interface CommandStep {
  readonly context: 'operations' | 'ledger';
  readonly key: string;
  readonly command: OperationCommand | CardCommand | AdvanceOperation | CaptureReservation | ReleaseReservation;
  /** Refusals that only tell that it was done before. Any other one is a defect. */
  readonly tolerates?: readonly (CardRefusal | 'reservation_unknown' | 'reservation_captured')[];
  /** The watchdog comes back to it, so that it must not hold up other operations. */
  readonly retriedElsewhere?: true;
}

/** Either a command, or the one thing that is more than that. */
export type OperationStep = CommandStep | 'call-issuer';

/**
 * The whole story of an operation: what has to happen next, in this order, each step once the one before it is done.
 * Every step may be repeated, so after a crash the story simply goes on from whatever phase is stored.
 */
export function nextSteps(state: OperationState, now: Date): readonly OperationStep[] {
  const { phase, order } = state;
  if (order === undefined) return [];
  switch (phase) {
    case 'queued':
      return ['call-issuer'];
    case 'calling':
      // Whoever called is still waiting, or is gone. Nobody can tell which, and nobody calls a second time.
      return isOverdue(state, now) ? [abandonCall(order, now)] : [];
    case 'accepted':
      return [...loadCard(state, order, now), captureHold(order), complete(order)];
    case 'declined':
      return [releaseHold(order, ['reservation_unknown']), fail(order)];
    case 'completed':
    case 'failed':
      if (state.strayHold === undefined) return [];
      return [releaseHold(order, ['reservation_unknown', 'reservation_captured'])];
    default:
      // Only an operator ends a review; the hold stays as long as it takes.
      return [];
  }
}

/** The events that have consequences. No other one needs to be decoded. */
export type OperationTrigger =
  | FundsReserved
  | Extract<OperationEvent, { type: 'IssuerAccepted' | 'OperationDeclined' | 'ReviewResolved' | 'StrayHoldFound' }>
  | TransactionClaimed;

const isTrigger: { readonly [Type in OperationTrigger['type']]: true } = {
  FundsReserved: true,
  IssuerAccepted: true,
  OperationDeclined: true,
  ReviewResolved: true,
  StrayHoldFound: true,
  TransactionClaimed: true,
};

export const operationTriggers = Object.keys(isTrigger);

/** The streams in which they happen. */
export const operationTriggerCategories = ['account', 'operation', 'transaction'] as const;

/** What keeps the story going: whoever wrote the event may have been stopped right after it. */
export function reactTo(event: OperationTrigger): readonly CommandStep[] {
  switch (event.type) {
    case 'FundsReserved': {
      const { reservationId, purpose } = event.data;
      return isOrderOf(reservationId, purpose) ? [queue(purpose)] : [];
    }
    case 'IssuerAccepted':
    case 'OperationDeclined':
    case 'ReviewResolved':
    case 'StrayHoldFound':
      return [advance(event.data.operationId)];
    case 'TransactionClaimed':
      return [reportPayment(event.data)];
    default:
      return assertNever(event);
  }
}

/** Whether a hold's purpose is the order of the operation with this id. */
export function isOrderOf(operationId: string, purpose: unknown): purpose is OperationOrder {
  return (
    typeof purpose === 'object' && purpose !== null && 'operationId' in purpose && purpose.operationId === operationId
  );
}

function queue(order: OperationOrder): CommandStep {
  const { operationId } = order;
  return inOperations(operationId, { type: 'QueueOperation', data: { operationId, order } });
}

function advance(operationId: string): CommandStep {
  const command: AdvanceOperation = { type: 'AdvanceOperation', data: { operationId } };
  return { context: 'operations', key: operationId, command, retriedElsewhere: true };
}

function abandonCall({ operationId }: OperationOrder, now: Date): CommandStep {
  return inOperations(operationId, { type: 'AbandonIssuerCall', data: { operationId, now: now.toISOString() } });
}

function complete({ operationId }: OperationOrder): CommandStep {
  return inOperations(operationId, { type: 'CompleteOperation', data: { operationId } });
}

function fail({ operationId }: OperationOrder): CommandStep {
  return inOperations(operationId, { type: 'FailOperation', data: { operationId } });
}

/** Cards get the amount without the fee. A service has none. */
function loadCard({ accepted }: OperationState, order: OperationOrder, now: Date): readonly CommandStep[] {
  const { type, operationId, accountId, cardId, amount } = order;
  if (type === 'service') return [];
  assert(cardId !== undefined, () => `operation ${operationId} of type ${type} names no card`);
  if (type === 'topup') {
    return [inOperations(accountId, { type: 'TopUpCard', data: { cardId, operationId, amount } })];
  }
  const { companyId, environment, holderId, productId, name = '' } = order;
  assert(holderId !== undefined, () => `operation ${operationId} issues a card to nobody`);
  assert(accepted?.last4 !== undefined, () => `operation ${operationId} issues a card without digits`);
  const { last4, cardReference } = accepted;
  const facts = { companyId, environment, accountId, operationId, holderId, productId, name, amount };
  const data = { cardId, ...facts, last4, cardReference, createdAt: now.toISOString() };
  return [inOperations(accountId, { type: 'IssueCard', data })];
}

/** A repeat may come so late that the ledger has forgotten the closed hold; that there was one is why there is an order. */
function captureHold({ accountId, operationId }: OperationOrder): CommandStep {
  const command = { type: 'CaptureReservation', data: { accountId, reservationId: operationId } } as const;
  return { context: 'ledger', key: accountId, command, tolerates: ['reservation_unknown'] };
}

function releaseHold({ accountId, operationId }: OperationOrder, tolerates: CommandStep['tolerates']): CommandStep {
  const command = { type: 'ReleaseReservation', data: { accountId, reservationId: operationId } } as const;
  return { context: 'ledger', key: accountId, command, tolerates };
}

/** Whoever reported the payment was told of a refusal; here it only matters that the card has heard of it. */
function reportPayment({ cardId, accountId, payment }: TransactionClaimed['data']): CommandStep {
  const step = inOperations(accountId, { type: 'ReportPayment', data: { cardId, accountId, payment } });
  return { ...step, tolerates: ['not_found', 'card_not_active', 'payment_mismatch', 'payment_settled'] };
}

function inOperations(key: string, command: CommandStep['command']): CommandStep {
  return { context: 'operations', key, command };
}
