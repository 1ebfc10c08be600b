import { assert, assertNever } from '@florin/kernel';
import type {
  IssuerDetails,
  LateAnswerNoted,
  OperationEvent,
  OperationFailure,
  Order,
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

/** Tens of thousands are cached, so an ended operation keeps little more than its order. */
export interface OperationState {
  phase: OperationPhase;
  /** Present from `queued` on. */
  order: Order | undefined;
  /** The only call that may be made, and the time after which its response is no longer expected. */
  callId: string | undefined;
  deadline: string | undefined;
  /** Present while `accepted`. */
  accepted: IssuerDetails | undefined;
  /** Present while `declined`. */
  failure: OperationFailure | undefined;
  resolution: ReviewOutcome | undefined;
  /** The ids of the late responses, and the details of the newest matching one that accepted the operation. */
  noteIds: string[] | undefined;
  noted: IssuerDetails | undefined;
  /** When the order in the newest orphaned reservation was created; empty for events of early releases. */
  orphanedReservation: string | undefined;
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
    orphanedReservation: undefined,
  };
}

export function evolveOperation(state: OperationState, event: OperationEvent): OperationState {
  switch (event.type) {
    case 'OperationQueued':
      state.phase = 'queued';
      state.order = withoutMetadata(event.data.order);
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
      state.orphanedReservation = event.data.createdAt ?? '';
      return state;
    default:
      return assertNever(event);
  }
}

/** For states in memory: no decision depends on metadata, which can be much longer than the rest. */
export function withoutMetadata(order: Order): Order {
  if (order.metadata === undefined) return order;
  const { metadata: _, ...rest } = order;
  return rest;
}

function accept(state: OperationState, { receipt, last4, cardReference, cardStatus }: IssuerDetails): OperationState {
  state.phase = 'accepted';
  state.accepted = { receipt, last4, cardReference, cardStatus };
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

/** Whether no step is left. Only notes and orphaned reservations can follow. */
export function hasEnded({ phase }: Pick<OperationState, 'phase'>): boolean {
  return phase === 'completed' || phase === 'failed';
}

/** The status in the API. A reviewed operation stays in `manual_review` until it has ended. */
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

/** Whether the deadline of the issuer call has passed. */
export function isOverdue(state: OperationState, now: Date): boolean {
  return state.deadline !== undefined && Date.parse(state.deadline) <= now.getTime();
}

export interface OperationAnswer {
  readonly status: OperationStatus;
  /** The issuer call in progress. There is at most one call per operation. */
  readonly callId?: string;
}

export function operationAnswer(state: OperationState): OperationAnswer {
  const { phase, callId } = state;
  return { status: statusOf(state), callId: phase === 'calling' ? callId : undefined };
}
