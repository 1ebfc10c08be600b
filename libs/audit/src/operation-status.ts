import { type AuditedEvent, fieldOf } from './audited-event';

export type OperationStatus = 'queued' | 'processing' | 'completed' | 'failed' | 'manual_review';

export const operationStatuses: readonly OperationStatus[] = [
  'queued',
  'processing',
  'completed',
  'failed',
  'manual_review',
];

/** The decided outcome. The reservation is captured or released before the operation itself becomes final. */
export type Decision = 'accepted' | 'declined';

export interface OperationProgress {
  status: OperationStatus;
  decision: Decision | undefined;
}

type Change = Partial<OperationProgress>;

const changes: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['OperationQueued', { status: 'queued' }],
  ['IssuerCallStarted', { status: 'processing' }],
  ['IssuerAccepted', { status: 'processing', decision: 'accepted' }],
  ['OperationDeclined', { status: 'processing', decision: 'declined' }],
  ['OperationSentToReview', { status: 'manual_review' }],
  ['LateAnswerNoted', {}],
  ['StrayHoldFound', {}],
  ['OperationCompleted', { status: 'completed' }],
  ['OperationFailed', { status: 'failed' }],
]);

/** What an event changes about its operation; undefined for an unknown event type. */
export function changeOf({ type, data }: Pick<AuditedEvent, 'type' | 'data'>): Change | undefined {
  if (type !== 'ReviewResolved') return changes.get(type);
  return { decision: fieldOf(data, 'outcome') === 'completed' ? 'accepted' : 'declined' };
}

export function statusOf(events: readonly Pick<AuditedEvent, 'type' | 'data'>[]): OperationStatus {
  return events.reduce<OperationStatus>((status, event) => changeOf(event)?.status ?? status, 'queued');
}

/** The decision that each end of an operation requires. */
export const decisionBefore: Readonly<Record<string, Decision | undefined>> = {
  OperationCompleted: 'accepted',
  OperationFailed: 'declined',
};
