import { assert, assertNever } from '@florin/kernel';
import type { CaptureReservation, CreditRefund, FundsReserved, ReleaseReservation } from '@florin/ledger-domain';
import type { CardCommand, CardRefusal, UnloadReserved } from '../card/card.messages';
import type { TransactionClaimed } from '../transaction/transaction.messages';
import type { OperationCommand, OperationEvent, Order } from './operation.messages';
import { isOverdue, type OperationState } from './operation.state';
import { orderIn } from './order-reservation';
import type { AdvanceOperation } from './request.messages';

/** A command to send, and its destination. */
export interface CommandStep {
  readonly context: 'operations' | 'ledger';
  readonly key: string;
  readonly command:
    OperationCommand | CardCommand | AdvanceOperation | CaptureReservation | ReleaseReservation | CreditRefund;
  /** Rejections that mean another replica already did it. Any other one is a defect. */
  readonly tolerates?: readonly (CardRefusal | 'reservation_unknown' | 'reservation_captured')[];
  /** The watchdog retries it, so a failure must not block other operations. */
  readonly retriedElsewhere?: true;
  /** Completes the decision of an operator, who is also the actor of what follows. */
  readonly keepsActor?: true;
}

/** A command, or the issuer call. */
export type OperationStep = CommandStep | 'call-issuer';

/**
 * The state machine of an operation: the next steps, each to be taken after the one before it succeeded. Every step is
 * idempotent, so after a crash the operation continues from the stored phase.
 */
export function nextSteps(state: OperationState, now: Date): readonly OperationStep[] {
  const { phase, order } = state;
  if (order === undefined) return [];
  switch (phase) {
    case 'queued':
      return ['call-issuer'];
    case 'calling':
      // The calling process may still be waiting, or may have crashed. There is no second call in either case.
      return isOverdue(state, now) ? [abandonCall(order, now)] : [];
    case 'accepted':
      return [...moveMoney(state, order, now), complete(order)];
    case 'declined':
      return [...cancelTopup(order), release(order), fail(order)];
    case 'completed':
    case 'failed':
      if (state.orphanedReservation === undefined) return [];
      return [releaseOrphan(order)];
    default:
      // Only an operator ends a review. The funds stay reserved until then.
      return [];
  }
}

/** The events that the process reacts to. */
export const operationTriggers = [
  'FundsReserved',
  'UnloadReserved',
  'IssuerAccepted',
  'OperationDeclined',
  'ReviewResolved',
  'StrayHoldFound',
  'TransactionClaimed',
] as const;

export type OperationTrigger = Extract<
  FundsReserved | UnloadReserved | OperationEvent | TransactionClaimed,
  { type: (typeof operationTriggers)[number] }
>;

/** The categories of their streams. */
export const operationTriggerCategories = ['account', 'card', 'operation', 'transaction'] as const;

/** The commands that follow from an event, because the process that stored it may have crashed right after it. */
export function reactTo(event: OperationTrigger): readonly CommandStep[] {
  switch (event.type) {
    case 'FundsReserved': {
      const order = orderIn(event.data);
      return order === undefined ? [] : [queue(order)];
    }
    case 'UnloadReserved':
      return [queue(event.data.order)];
    case 'IssuerAccepted':
    case 'OperationDeclined':
    case 'StrayHoldFound':
      return [advance(event.data.operationId)];
    case 'ReviewResolved':
      return [{ ...advance(event.data.operationId), keepsActor: true }];
    case 'TransactionClaimed':
      return [reportPayment(event.data)];
    default:
      return assertNever(event);
  }
}

function queue(order: Order): CommandStep {
  const { operationId } = order;
  return inOperations(operationId, { type: 'QueueOperation', data: { operationId, order } });
}

function advance(operationId: string): CommandStep {
  const command: AdvanceOperation = { type: 'AdvanceOperation', data: { operationId } };
  return { context: 'operations', key: operationId, command, retriedElsewhere: true };
}

function abandonCall({ operationId }: Order, now: Date): CommandStep {
  return inOperations(operationId, { type: 'AbandonIssuerCall', data: { operationId, now: now.toISOString() } });
}

function complete({ operationId }: Order): CommandStep {
  return inOperations(operationId, { type: 'CompleteOperation', data: { operationId } });
}

function fail({ operationId }: Order): CommandStep {
  return inOperations(operationId, { type: 'FailOperation', data: { operationId } });
}

/** What an accepted operation moves: onto the card and off the account, or for an unload the other way. */
function moveMoney(state: OperationState, order: Order, now: Date): readonly CommandStep[] {
  if (order.type === 'unload') return [captureUnload(order), creditRefund(order)];
  return [...loadCard(state, order, now), captureReservation(order)];
}

/** The card gets the amount without the fee. A service has no card. */
function loadCard({ accepted }: OperationState, order: Order, now: Date): readonly CommandStep[] {
  const { type, operationId, accountId, cardId, amount } = order;
  if (type === 'service') return [];
  assert(cardId !== undefined, () => `operation ${operationId} of type ${type} names no card`);
  if (type === 'topup') {
    return [inOperations(accountId, { type: 'TopUpCard', data: { cardId, operationId, amount } })];
  }
  const { companyId, environment, holderId, productId, name = '' } = order;
  assert(holderId !== undefined, () => `operation ${operationId} issues a card without a holder`);
  assert(accepted?.last4 !== undefined, () => `operation ${operationId} issues a card without digits`);
  const { last4, cardReference, cardStatus: status } = accepted;
  const facts = { companyId, environment, accountId, operationId, holderId, productId, name, amount };
  const data = { cardId, ...facts, last4, cardReference, createdAt: now.toISOString(), status };
  return [inOperations(accountId, { type: 'IssueCard', data })];
}

/** A late repeat may find the closed reservation beyond the ledger's horizon. It existed, because the order came from it. */
function captureReservation({ accountId, operationId }: Order): CommandStep {
  const command = { type: 'CaptureReservation', data: { accountId, reservationId: operationId } } as const;
  return { context: 'ledger', key: accountId, command, tolerates: ['reservation_unknown'] };
}

/** A late repeat may find the ended unload beyond the card's horizon. It existed, because the order came from it. */
function captureUnload({ accountId, operationId, cardId }: Order): CommandStep {
  assert(cardId !== undefined, () => `unload ${operationId} names no card`);
  const step = inOperations(accountId, { type: 'CaptureUnload', data: { cardId, operationId } });
  return { ...step, tolerates: ['unload_unknown'] };
}

function creditRefund({ accountId, operationId, cardId, unloadNumber, amount }: Order): CommandStep {
  assert(cardId !== undefined && unloadNumber !== undefined, () => `unload ${operationId} has no card or number`);
  const refund = { refundId: operationId, reference: operationId, cardId, unloadNumber, amount };
  const command = { type: 'CreditRefund', data: { accountId, ...refund, description: 'Card unload' } } as const;
  return { context: 'ledger', key: accountId, command };
}

/** Every declined top-up is canceled, whether it was started or not: see card-topups.ts. */
function cancelTopup({ type, accountId, operationId, cardId }: Order): readonly CommandStep[] {
  if (type !== 'topup') return [];
  assert(cardId !== undefined, () => `operation ${operationId} of type ${type} names no card`);
  return [inOperations(accountId, { type: 'CancelTopup', data: { cardId, operationId } })];
}

/** Returns the reserved amount: to the account, or for an unload to the card. */
function release(order: Order): CommandStep {
  return order.type === 'unload'
    ? releaseUnload(order, ['unload_unknown'])
    : releaseReservation(order, ['reservation_unknown']);
}

/**
 * Undoes an accepted order that cannot be queued, because its id belongs to an order with a reservation in another stream. The
 * client has sent two requests with one key at the same time.
 */
export function undoUnqueued(order: Order): readonly CommandStep[] {
  return [...cancelTopup(order), release(order)];
}

function releaseOrphan(order: Order): CommandStep {
  return order.type === 'unload'
    ? releaseUnload(order, ['unload_unknown', 'unload_captured'])
    : releaseReservation(order, ['reservation_unknown', 'reservation_captured']);
}

function releaseUnload({ accountId, operationId, cardId }: Order, tolerates: CommandStep['tolerates']): CommandStep {
  assert(cardId !== undefined, () => `unload ${operationId} names no card`);
  return { ...inOperations(accountId, { type: 'ReleaseUnload', data: { cardId, operationId } }), tolerates };
}

function releaseReservation({ accountId, operationId }: Order, tolerates: CommandStep['tolerates']): CommandStep {
  const command = { type: 'ReleaseReservation', data: { accountId, reservationId: operationId } } as const;
  return { context: 'ledger', key: accountId, command, tolerates };
}

/** The reporter of the payment already received the rejection; here it only matters that the card has processed the report. */
function reportPayment({ cardId, accountId, payment, reportedAt }: TransactionClaimed['data']): CommandStep {
  const step = inOperations(accountId, { type: 'ReportPayment', data: { cardId, accountId, payment, reportedAt } });
  return { ...step, tolerates: ['not_found', 'card_not_active', 'payment_mismatch', 'payment_settled'] };
}

function inOperations(key: string, command: CommandStep['command']): CommandStep {
  return { context: 'operations', key, command };
}
