import { assert, assertNever } from '@florin/kernel';
import type {
  IssuerDetails,
  LateAnswerNoted,
  OperationEvent,
  OperationFailure,
  OperationOrder,
  OperationStatus,
  ReviewOutcome,
  ReviewResolved,
} from './operation.messages';

/**
 * none → queued → calling → accepted → completed
 *            │        ├───→ declined → failed
 *            │        └───→ review ──→ accepted or declined, as the operator resolves
 *            └────────────→ declined
 */
export type OperationPhase =
  'none' | 'queued' | 'calling' | 'accepted' | 'declined' | 'review' | 'completed' | 'failed';

/** Tens of thousands of these are remembered, so an operation that has ended keeps little more than its order. */
export interface OperationState {
  phase: OperationPhase;
  /** Present from `queued` on. */
  order: OperationOrder | undefined;
  /** The one call that was ever allowed, and the instant from which on nobody waits for its answer. */
  callId: string | undefined;
  deadline: string | undefined;
  /** Present while `accepted`. */
  accepted: IssuerDetails | undefined;
  /** Present while `declined`. */
  failure: OperationFailure | undefined;
  resolution: ReviewOutcome | undefined;
  /** The ids of the late answers, and what the newest one that fits this operation and accepted it told. */
  noteIds: string[] | undefined;
  noted: IssuerDetails | undefined;
  /** When the order in the newest stray hold was made, if there ever was one; empty where nobody told. */
  strayHold: string | undefined;
}

export function initialOperation(): OperationState {
  return {
    phase: 'none',
    order: undefined,
    callId: undefined,
    deadline: undefined,
    accepted: undefined,
    failure: undefined,
    resolution: undefined,
    noteIds: undefined,
    noted: undefined,
    strayHold: undefined,
  };
}

export function evolveOperation(state: OperationState, event: OperationEvent): OperationState {
  switch (event.type) {
    case 'OperationQueued':
      state.phase = 'queued';
      state.order = event.data.order;
      return state;
    case 'IssuerCallStarted':
      state.phase = 'calling';
      state.callId = event.data.callId;
      state.deadline = event.data.deadline;
      return state;
    case 'IssuerAccepted':
      return accept(state, event.data);
    case 'OperationDeclined':
      return decline(state, event.data.failure);
    case 'OperationSentToReview':
      state.phase = 'review';
      return state;
    case 'LateAnswerNoted':
      return note(state, event.data);
    case 'ReviewResolved':
      return resolve(state, event.data);
    case 'OperationCompleted':
      return end(state, 'completed');
    case 'OperationFailed':
      return end(state, 'failed');
    case 'StrayHoldFound':
      state.strayHold = event.data.createdAt ?? '';
      return state;
    default:
      return assertNever(event);
  }
}

function accept(state: OperationState, { receipt, last4, cardReference }: IssuerDetails): OperationState {
  state.phase = 'accepted';
  state.accepted = { receipt, last4, cardReference };
  return state;
}

function decline(state: OperationState, failure: OperationFailure): OperationState {
  state.phase = 'declined';
  state.failure = failure;
  return state;
}

function note(state: OperationState, { noteId, answer, matches }: LateAnswerNoted['data']): OperationState {
  state.noteIds ??= [];
  state.noteIds.push(noteId);
  if (matches && answer.outcome === 'accepted') state.noted = answer;
  return state;
}

function resolve(state: OperationState, data: ReviewResolved['data']): OperationState {
  state.resolution = data.outcome;
  if (data.outcome === 'completed') return accept(state, data);
  return decline(state, { code: 'review_failed', message: data.note });
}

function end(state: OperationState, phase: 'completed' | 'failed'): OperationState {
  state.phase = phase;
  state.callId = undefined;
  state.deadline = undefined;
  state.accepted = undefined;
  state.failure = undefined;
  state.noted = undefined;
  return state;
}

/** What clients see. Until it has ended, an operation that was reviewed looks as if it still were. */
export function statusOf(state: OperationState): OperationStatus {
  const { phase, resolution } = state;
  assert(phase !== 'none', 'an operation that does not exist has no status');
  switch (phase) {
    case 'queued':
    case 'completed':
    case 'failed':
      return phase;
    case 'calling':
      return 'processing';
    case 'accepted':
    case 'declined':
      return resolution === undefined ? 'processing' : 'manual_review';
    case 'review':
      return 'manual_review';
    default:
      return assertNever(phase);
  }
}

/** Whether nobody waits for the issuer's answer any more. */
export function isOverdue(state: OperationState, now: Date): boolean {
  return state.deadline !== undefined && Date.parse(state.deadline) <= now.getTime();
}
