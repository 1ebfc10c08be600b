import {
  type Aggregate,
  assert,
  assertNever,
  decisionIn,
  isDecided,
  parseMoney,
  type Refusal,
  refuse,
} from '@florin/kernel';
import {
  type AbandonIssuerCall,
  type DeclineUncalled,
  type FirstStep,
  type IssuerDetails,
  type IssuerResponse,
  type NoteLateResponse,
  type OperationCommand,
  type OperationEvent,
  operationEventVersions,
  type OperationRefusal,
  type OperationResult,
  type Order,
  type QueueOperation,
  type RecordIssuerResponse,
  type ResolveReview,
  type StartIssuerCall,
} from './operation.messages';
import {
  evolveOperation,
  hasEnded,
  initialOperation,
  isOverdue,
  type OperationAnswer,
  operationAnswer,
  type OperationState,
} from './operation.state';
import { isReservedElsewhere, orphanedReservation } from './order-reservation';
import { sandboxLast4 } from './sandbox-last4';

/** More than an operator would read; later ones are not stored. */
export const maxLateResponses = 20;

export const operationAggregate: Aggregate<
  OperationState,
  OperationCommand,
  OperationEvent,
  OperationRefusal,
  OperationAnswer
> = {
  category: 'operation',
  versions: operationEventVersions,
  initialState: initialOperation,
  evolve: evolveOperation,

  decide: (command, state) => {
    if (command.type === 'QueueOperation') return queue(command, state);
    const { order } = state;
    if (order === undefined) return refuse('operation_unknown', `There is no operation ${command.data.operationId}`);
    switch (command.type) {
      case 'StartIssuerCall':
        return startCall(command, state);
      case 'DeclineUncalled':
        return declineUncalled(command, state);
      case 'RecordIssuerResponse':
        return recordResponse(command, state, order);
      case 'AbandonIssuerCall':
        return abandonCall(command, state);
      case 'NoteLateResponse':
        return noteLateResponse(command, state, order);
      case 'ResolveReview':
        return resolveReview(command, state, order);
      case 'CompleteOperation':
        return complete(state, order);
      case 'FailOperation':
        return fail(state, order);
      default:
        return assertNever(command);
    }
  },

  answer: operationAnswer,
};

type Decision = readonly OperationEvent[] | Refusal<OperationRefusal>;

function queue({ data: { operationId, order, firstStep } }: QueueOperation, state: OperationState): Decision {
  assert(order.operationId === operationId, () => `operation ${operationId} with the order of ${order.operationId}`);
  if (state.order === undefined) {
    return [{ type: 'OperationQueued', data: { operationId, order } }, ...firstEvents(operationId, firstStep)];
  }
  if (isReservedElsewhere(order, state.order)) return conflict(operationId);
  if (hasEnded(state)) return orphanedReservation(order, state);
  return state.order.fingerprint === order.fingerprint ? [] : conflict(operationId);
}

function conflict(operationId: string): Refusal<OperationRefusal> {
  return refuse('idempotency_conflict', `Operation ${operationId} exists with different data`);
}

function firstEvents(operationId: string, step: FirstStep | undefined): readonly OperationEvent[] {
  if (step === undefined) return [];
  if ('failure' in step) return [{ type: 'OperationDeclined', data: { operationId, failure: step.failure } }];
  return [{ type: 'IssuerCallStarted', data: { operationId, ...step.call } }];
}

/** The first call id is final. A caller with a different id sees it in the reply and does not call. */
function startCall({ data: { operationId, callId, deadline } }: StartIssuerCall, state: OperationState): Decision {
  if (state.phase !== 'queued') return [];
  return [{ type: 'IssuerCallStarted', data: { operationId, callId, deadline } }];
}

function declineUncalled({ data: { operationId, failure } }: DeclineUncalled, state: OperationState): Decision {
  if (state.phase === 'declined' || state.phase === 'failed') return [];
  if (state.phase !== 'queued') return wrongPhase(operationId, state, 'the issuer has been called');
  return [{ type: 'OperationDeclined', data: { operationId, failure } }];
}

function recordResponse({ data }: RecordIssuerResponse, state: OperationState, order: Order): Decision {
  const { operationId, callId, response, respondedAt } = data;
  switch (state.phase) {
    case 'calling':
      if (state.callId === callId) return classify(response, data, order);
      return wrongPhase(operationId, state, `call ${callId} is not the recorded one`);
    case 'review':
      if (response.outcome === 'unknown' || isNoted(state, callId)) return [];
      return [lateResponseNoted(operationId, callId, response, state.callId === callId, respondedAt)];
    case 'accepted':
    case 'declined':
    case 'completed':
    case 'failed':
      return [];
    default:
      return wrongPhase(operationId, state, 'the issuer has not been called');
  }
}

/** Only a definite response advances the operation. An acceptance without the last digits of the new card goes to review. */
function classify(response: IssuerResponse, data: RecordIssuerResponse['data'], order: Order): Decision {
  const { operationId, callId, respondedAt } = data;
  switch (response.outcome) {
    case 'accepted': {
      const details = cardDetails(order, response);
      if (details !== undefined) return [{ type: 'IssuerAccepted', data: { operationId, ...details } }];
      const reason = 'The issuer accepted without the last four digits of the card';
      const sentToReview = { type: 'OperationSentToReview', data: { operationId, reason } } as const;
      return [sentToReview, lateResponseNoted(operationId, callId, response, true, respondedAt)];
    }
    case 'declined': {
      const { code, message } = response;
      return [{ type: 'OperationDeclined', data: { operationId, failure: { code, message } } }];
    }
    case 'unknown':
      return [{ type: 'OperationSentToReview', data: { operationId, reason: response.reason } }];
    default:
      return assertNever(response);
  }
}

function abandonCall({ data: { operationId, now } }: AbandonIssuerCall, state: OperationState): Decision {
  if (state.phase === 'queued') return wrongPhase(operationId, state, 'the issuer has not been called');
  if (state.phase !== 'calling') return [];
  if (!isOverdue(state, new Date(now))) {
    return wrongPhase(operationId, state, `the issuer may respond until ${state.deadline}`);
  }
  const reason = `No issuer response was recorded before the deadline, ${state.deadline}`;
  return [{ type: 'OperationSentToReview', data: { operationId, reason } }];
}

function noteLateResponse({ data }: NoteLateResponse, state: OperationState, order: Order): Decision {
  const { operationId, noteId, companyId, amount, response, notedAt } = data;
  if (isNoted(state, noteId) || (state.noteIds?.length ?? 0) >= maxLateResponses) return [];
  const matches = companyId === order.companyId && amount === order.amount;
  if (matches && !isNewInformation(response, state)) return [];
  return [lateResponseNoted(operationId, noteId, response, matches, notedAt)];
}

/** Issuers may confirm every operation again by callback; only new information is stored. */
function isNewInformation({ outcome }: IssuerResponse, { phase }: OperationState): boolean {
  if (phase === 'accepted' || phase === 'completed') return outcome === 'declined';
  if (phase === 'declined' || phase === 'failed') return outcome === 'accepted';
  return outcome !== 'unknown';
}

function resolveReview({ data }: ResolveReview, state: OperationState, order: Order): Decision {
  const { operationId, outcome, note } = data;
  if (state.resolution === outcome) return [];
  if (state.resolution !== undefined) {
    return refuse('review_resolved', `The review of operation ${operationId} was resolved as ${state.resolution}`);
  }
  if (state.phase !== 'review') return wrongPhase(operationId, state, 'it is not in review');
  const decision = decisionIn(data);
  if (outcome === 'failed') return [{ type: 'ReviewResolved', data: { operationId, outcome, note, ...decision } }];
  if (!isDecided(parseMoney(order.total), data)) {
    const message = `To complete an operation of ${order.total} takes a proposal and a confirmation by another operator`;
    return refuse('not_four_eyes', message);
  }
  const details = cardDetails(order, {
    receipt: data.receipt ?? state.noted?.receipt,
    last4: data.last4 ?? state.noted?.last4,
    cardReference: data.cardReference ?? state.noted?.cardReference,
    cardStatus: state.noted?.cardStatus,
  });
  if (details !== undefined) {
    return [{ type: 'ReviewResolved', data: { operationId, outcome, note, ...details, ...decision } }];
  }
  return refuse('card_details_missing', 'Send the last four digits of the card, as the issuer reports them, in last4');
}

function complete(state: OperationState, { operationId, type, cardId }: Order): Decision {
  if (state.phase === 'completed') return [];
  if (state.phase !== 'accepted') return wrongPhase(operationId, state, 'the issuer has not accepted it');
  const receipt = state.accepted?.receipt;
  const result: OperationResult = type === 'service' ? { receipt } : { cardId, receipt };
  return [{ type: 'OperationCompleted', data: { operationId, result } }];
}

function fail(state: OperationState, { operationId }: Order): Decision {
  if (state.phase === 'failed') return [];
  const { phase, failure } = state;
  if (phase !== 'declined' || failure === undefined) return wrongPhase(operationId, state, 'it has not been declined');
  return [{ type: 'OperationFailed', data: { operationId, failure } }];
}

/** The details that an operation completes with, or nothing if an issued card would have no last digits. */
function cardDetails(order: Order, details: IssuerDetails): IssuerDetails | undefined {
  const { receipt, cardReference, cardStatus } = details;
  if (order.type !== 'issue') return { receipt, cardReference };
  const last4 = details.last4 ?? (order.environment === 'sandbox' ? sandboxLast4(order.operationId) : undefined);
  return last4 === undefined ? undefined : { receipt, last4, cardReference, cardStatus };
}

function lateResponseNoted(
  operationId: string,
  noteId: string,
  response: IssuerResponse,
  matches: boolean,
  notedAt: string,
): OperationEvent {
  return { type: 'LateAnswerNoted', data: { operationId, noteId, answer: response, matches, notedAt } };
}

function isNoted(state: OperationState, noteId: string): boolean {
  return state.noteIds?.includes(noteId) ?? false;
}

function wrongPhase(operationId: string, { phase }: OperationState, why: string): Refusal<OperationRefusal> {
  return refuse('wrong_phase', `Operation ${operationId} is ${phase}: ${why}`);
}
