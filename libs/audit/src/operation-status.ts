import { type AuditedEvent, fieldOf } from './audited-event';

export type OperationStatus = 'queued' | 'processing' | 'completed' | 'failed' | 'manual_review';

export const operationStatuses: readonly OperationStatus[] = [
  'queued',
  'processing',
  'completed',
  'failed',
  'manual_review',
];

/** How it will end, once that is decided: the hold is closed accordingly before the operation itself ends. */
export type Verdict = 'accepted' | 'declined';

export interface OperationProgress {
  status: OperationStatus;
  verdict: Verdict | undefined;
}

type Change = Partial<OperationProgress>;

const changes: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['OperationQueued', { status: 'queued' }],
  ['IssuerCallStarted', { status: 'processing' }],
  ['IssuerAccepted', { status: 'processing', verdict: 'accepted' }],
  ['OperationDeclined', { status: 'processing', verdict: 'declined' }],
  ['OperationSentToReview', { status: 'manual_review' }],
  ['LateAnswerNoted', {}],
  ['StrayHoldFound', {}],
  ['OperationCompleted', { status: 'completed' }],
  ['OperationFailed', { status: 'failed' }],
]);

/** What an event changes about its operation; nothing is known about an event of a type that nobody knows. */
export function changeBy({ type, data }: Pick<AuditedEvent, 'type' | 'data'>): Change | undefined {
  if (type !== 'ReviewResolved') return changes.get(type);
  return { verdict: fieldOf(data, 'outcome') === 'completed' ? 'accepted' : 'declined' };
}

/** What became of an operation, by the names of its events alone. */
export function statusOf(events: readonly Pick<AuditedEvent, 'type' | 'data'>[]): OperationStatus {
  return events.reduce<OperationStatus>((status, event) => changeBy(event)?.status ?? status, 'queued');
}
