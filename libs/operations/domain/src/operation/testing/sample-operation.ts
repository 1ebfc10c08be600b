import { decidedByOne } from '@florin/kernel/testing';
import type { IssuerResponse, OperationEvent, OperationFailure, Order } from '../operation.messages';
import { evolveOperation, initialOperation, type OperationPhase, type OperationState } from '../operation.state';

export const operationId = '00000000-0000-5000-8000-000000000001';

const common = {
  operationId,
  companyId: 'acme',
  environment: 'sandbox',
  accountId: 'acme-sandbox',
  productId: 'virtual',
  amount: '100.00',
  fingerprint: 'f1',
  createdAt: '2030-01-01T00:00:00.000Z',
} as const;

export const issueOrder: Order = {
  ...common,
  type: 'issue',
  fee: '3.20',
  total: '103.20',
  holderId: 'holder',
  cardId: 'card',
  name: 'Travel',
};
export const topupOrder: Order = { ...common, type: 'topup', fee: '0.20', total: '100.20', cardId: 'card' };
export const serviceOrder: Order = {
  ...common,
  type: 'service',
  fee: '0.00',
  total: '100.00',
  recipient: '+420',
};

export const unloadOrder: Order = {
  ...common,
  type: 'unload',
  fee: '0.00',
  total: '100.00',
  cardId: 'card',
  unloadNumber: 7,
};

export const deadline = '2030-01-01T00:00:30.000Z';
export const beforeDeadline = '2030-01-01T00:00:29.999Z';

export const failure: OperationFailure = { code: 'declined', message: 'The issuer declined' };
export const accepted = { outcome: 'accepted', receipt: 'R-1', last4: '4242', cardReference: 'C-1' } as const;
export const declined = { outcome: 'declined', ...failure } as const;
export const unknown = { outcome: 'unknown', reason: 'The connection broke' } as const;

export const queued = (order: Order = issueOrder): OperationEvent => {
  return { type: 'OperationQueued', data: { operationId, order } };
};
export const called: OperationEvent = { type: 'IssuerCallStarted', data: { operationId, callId: 'call-1', deadline } };
export const issuerAccepted: OperationEvent = {
  type: 'IssuerAccepted',
  data: { operationId, receipt: 'R-1', last4: '4242', cardReference: 'C-1' },
};
export const operationDeclined: OperationEvent = { type: 'OperationDeclined', data: { operationId, failure } };
export const sentToReview: OperationEvent = {
  type: 'OperationSentToReview',
  data: { operationId, reason: 'The connection broke' },
};
export const noted = (noteId: string, answer: IssuerResponse, matches = true): OperationEvent => {
  const notedAt = '2030-01-01T01:00:00.000Z';
  return { type: 'LateAnswerNoted', data: { operationId, noteId, answer, matches, notedAt } };
};
export const resolved = (outcome: 'completed' | 'failed'): OperationEvent => {
  const details = outcome === 'completed' ? { last4: '4242', receipt: 'R-1', cardReference: 'C-1' } : {};
  return {
    type: 'ReviewResolved',
    data: { operationId, outcome, note: 'Asked the issuer', ...details, ...decidedByOne },
  };
};
export const completed: OperationEvent = {
  type: 'OperationCompleted',
  data: { operationId, result: { cardId: 'card', receipt: 'R-1' } },
};
export const failed: OperationEvent = { type: 'OperationFailed', data: { operationId, failure } };
/** The order of a second reservation, created after the operation ended and its own reservation passed the horizon. */
export const orphanedOrder: Order = { ...issueOrder, createdAt: '2030-01-02T00:00:00.000Z' };
export const orphanFound: OperationEvent = {
  type: 'StrayHoldFound',
  data: { operationId, createdAt: orphanedOrder.createdAt },
};

/** One way to each phase. */
export const eventsLeadingTo: { readonly [Phase in OperationPhase]: readonly OperationEvent[] } = {
  none: [],
  queued: [queued()],
  calling: [queued(), called],
  accepted: [queued(), called, issuerAccepted],
  declined: [queued(), called, operationDeclined],
  review: [queued(), called, sentToReview],
  completed: [queued(), called, issuerAccepted, completed],
  failed: [queued(), called, operationDeclined, failed],
};

export function stateAfter(...events: readonly OperationEvent[]): OperationState {
  return events.reduce(evolveOperation, initialOperation());
}
