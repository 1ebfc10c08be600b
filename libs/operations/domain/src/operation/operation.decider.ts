import { assert, assertNever, type Decider, type Refusal, refuse } from '@florin/kernel';
import type {
  AbandonIssuerCall,
  DeclineUncalled,
  FirstStep,
  IssuerAnswer,
  IssuerDetails,
  NoteLateAnswer,
  OperationCommand,
  OperationEvent,
  OperationOrder,
  OperationRefusal,
  OperationResult,
  QueueOperation,
  RecordIssuerAnswer,
  ResolveReview,
  StartIssuerCall,
} from './operation.messages';
import { evolveOperation, initialOperation, isOverdue, type OperationState } from './operation.state';
import { sandboxLast4 } from './sandbox-last4';

/** More than any operator reads; what comes after them is not stored. */
export const mostLateAnswers = 20;

export const operationDecider: Decider<OperationState, OperationCommand, OperationEvent, OperationRefusal> = {
  category: 'operation',
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
      case 'RecordIssuerAnswer':
        return recordAnswer(command, state, order);
      case 'AbandonIssuerCall':
        return abandonCall(command, state);
      case 'NoteLateAnswer':
        return noteLateAnswer(command, state, order);
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
};

type Decision = readonly OperationEvent[] | Refusal<OperationRefusal>;

/**
 * The hold is closed before an operation ends. So when an ended one is queued with a newer order, funds were held once
 * more after the ledger had forgotten the first hold: whatever is open is stray. With an order from before, it is a repeat.
 */
function queue({ data: { operationId, order, firstStep } }: QueueOperation, state: OperationState): Decision {
  assert(order.operationId === operationId, () => `operation ${operationId} with the order of ${order.operationId}`);
  if (state.order === undefined) {
    return [{ type: 'OperationQueued', data: { operationId, order } }, ...firstEvents(operationId, firstStep)];
  }
  if (state.phase === 'completed' || state.phase === 'failed') {
    const { createdAt } = order;
    const isKnown = createdAt <= state.order.createdAt || createdAt <= (state.strayHold ?? '');
    return isKnown ? [] : [{ type: 'StrayHoldFound', data: { operationId, createdAt } }];
  }
  if (state.order.fingerprint === order.fingerprint) return [];
  return refuse('idempotency_conflict', `Operation ${operationId} was requested before with other data`);
}

function firstEvents(operationId: string, step: FirstStep | undefined): readonly OperationEvent[] {
  if (step === undefined) return [];
  if ('failure' in step) return [{ type: 'OperationDeclined', data: { operationId, failure: step.failure } }];
  return [{ type: 'IssuerCallStarted', data: { operationId, ...step.call } }];
}

/** The first call id stands for good. Whoever brings another one learns that from the answer, and does not call. */
function startCall({ data: { operationId, callId, deadline } }: StartIssuerCall, state: OperationState): Decision {
  if (state.phase !== 'queued') return [];
  return [{ type: 'IssuerCallStarted', data: { operationId, callId, deadline } }];
}

function declineUncalled({ data: { operationId, failure } }: DeclineUncalled, state: OperationState): Decision {
  if (state.phase === 'declined' || state.phase === 'failed') return [];
  if (state.phase !== 'queued') return wrongPhase(operationId, state, 'the issuer has been called');
  return [{ type: 'OperationDeclined', data: { operationId, failure } }];
}

function recordAnswer({ data }: RecordIssuerAnswer, state: OperationState, order: OperationOrder): Decision {
  const { operationId, callId, answer, answeredAt } = data;
  switch (state.phase) {
    case 'calling':
      if (state.callId === callId) return judge(answer, data, order);
      return wrongPhase(operationId, state, `call ${callId} was never allowed`);
    case 'review':
      if (answer.outcome === 'unknown' || isNoted(state, callId)) return [];
      return [lateAnswer(operationId, callId, answer, state.callId === callId, answeredAt)];
    case 'accepted':
    case 'declined':
    case 'completed':
    case 'failed':
      return [];
    default:
      return wrongPhase(operationId, state, 'the issuer has not been called');
  }
}

/** Only a definite yes or no moves the operation on; a yes without the digits of the new card is not enough of one. */
function judge(answer: IssuerAnswer, data: RecordIssuerAnswer['data'], order: OperationOrder): Decision {
  const { operationId, callId, answeredAt } = data;
  switch (answer.outcome) {
    case 'accepted': {
      const details = cardDetails(order, answer);
      if (details !== undefined) return [{ type: 'IssuerAccepted', data: { operationId, ...details } }];
      const reason = 'The issuer accepted without the last four digits of the card';
      const sentToReview = { type: 'OperationSentToReview', data: { operationId, reason } } as const;
      return [sentToReview, lateAnswer(operationId, callId, answer, true, answeredAt)];
    }
    case 'declined': {
      const { code, message } = answer;
      return [{ type: 'OperationDeclined', data: { operationId, failure: { code, message } } }];
    }
    case 'unknown':
      return [{ type: 'OperationSentToReview', data: { operationId, reason: answer.reason } }];
    default:
      return assertNever(answer);
  }
}

function abandonCall({ data: { operationId, now } }: AbandonIssuerCall, state: OperationState): Decision {
  if (state.phase === 'queued') return wrongPhase(operationId, state, 'the issuer has not been called');
  if (state.phase !== 'calling') return [];
  if (!isOverdue(state, new Date(now))) {
    return wrongPhase(operationId, state, `the issuer may answer until ${state.deadline}`);
  }
  const reason = `No answer of the issuer was recorded until ${state.deadline}`;
  return [{ type: 'OperationSentToReview', data: { operationId, reason } }];
}

function noteLateAnswer({ data }: NoteLateAnswer, state: OperationState, order: OperationOrder): Decision {
  const { operationId, noteId, companyId, amount, answer, notedAt } = data;
  if (isNoted(state, noteId) || (state.noteIds?.length ?? 0) >= mostLateAnswers) return [];
  const matches = companyId === order.companyId && amount === order.amount;
  if (matches && !isNews(answer, state)) return [];
  return [lateAnswer(operationId, noteId, answer, matches, notedAt)];
}

/** An issuer may confirm every operation once more by callback; only what is not known yet is worth an event. */
function isNews({ outcome }: IssuerAnswer, { phase }: OperationState): boolean {
  if (phase === 'accepted' || phase === 'completed') return outcome === 'declined';
  if (phase === 'declined' || phase === 'failed') return outcome === 'accepted';
  return outcome !== 'unknown';
}

function resolveReview({ data }: ResolveReview, state: OperationState, order: OperationOrder): Decision {
  const { operationId, outcome, note } = data;
  if (state.resolution === outcome) return [];
  if (state.resolution !== undefined) {
    return refuse('review_resolved', `The review of operation ${operationId} was resolved as ${state.resolution}`);
  }
  if (state.phase !== 'review') return wrongPhase(operationId, state, 'there is nothing to resolve');
  if (outcome === 'failed') return [{ type: 'ReviewResolved', data: { operationId, outcome, note } }];
  const details = cardDetails(order, {
    receipt: data.receipt ?? state.noted?.receipt,
    last4: data.last4 ?? state.noted?.last4,
    cardReference: data.cardReference ?? state.noted?.cardReference,
  });
  if (details !== undefined) return [{ type: 'ReviewResolved', data: { operationId, outcome, note, ...details } }];
  return refuse('card_details_missing', 'Give the last four digits of the card, as the issuer tells them, in last4');
}

function complete(state: OperationState, { operationId, type, cardId }: OperationOrder): Decision {
  if (state.phase === 'completed') return [];
  if (state.phase !== 'accepted') return wrongPhase(operationId, state, 'the issuer has not accepted it');
  const receipt = state.accepted?.receipt;
  const result: OperationResult = type === 'service' ? { receipt } : { cardId, receipt };
  return [{ type: 'OperationCompleted', data: { operationId, result } }];
}

function fail(state: OperationState, { operationId }: OperationOrder): Decision {
  if (state.phase === 'failed') return [];
  const { phase, failure } = state;
  if (phase !== 'declined' || failure === undefined) return wrongPhase(operationId, state, 'it has not been declined');
  return [{ type: 'OperationFailed', data: { operationId, failure } }];
}

/** What an operation can be completed with; nothing when it would make a card without digits. */
function cardDetails(order: OperationOrder, details: IssuerDetails): IssuerDetails | undefined {
  const { receipt, cardReference } = details;
  if (order.type !== 'issue') return { receipt, cardReference };
  const last4 = details.last4 ?? (order.environment === 'sandbox' ? sandboxLast4(order.operationId) : undefined);
  return last4 === undefined ? undefined : { receipt, last4, cardReference };
}

function lateAnswer(
  operationId: string,
  noteId: string,
  answer: IssuerAnswer,
  matches: boolean,
  notedAt: string,
): OperationEvent {
  return { type: 'LateAnswerNoted', data: { operationId, noteId, answer, matches, notedAt } };
}

function isNoted(state: OperationState, noteId: string): boolean {
  return state.noteIds?.includes(noteId) ?? false;
}

function wrongPhase(operationId: string, { phase }: OperationState, why: string): Refusal<OperationRefusal> {
  return refuse('wrong_phase', `Operation ${operationId} is ${phase}: ${why}`);
}
