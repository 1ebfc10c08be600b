/** What receivers can be told of. */
export const webhookEventTypes = [
  'operation.queued',
  'operation.completed',
  'operation.failed',
  'operation.manual_review',
  'invoice.pending',
  'invoice.completed',
  'invoice.expired',
  'invoice.failed',
  'invoice.manual_review',
  'card.created',
  'card.updated',
  'transaction.created',
  'transaction.updated',
  'holder.created',
  'holder.updated',
  'webhook_endpoint.disabled',
] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Sent to one endpoint when somebody wants to see it work. Nobody subscribes to it, and everybody may get it. */
export const testEventType = 'webhook_endpoint.test';

/** What is sent: the body of a delivery, and what `GET /events/{id}` answers. */
export interface WebhookEvent {
  readonly id: `evt_${string}`;
  readonly type: WebhookEventType | typeof testEventType;
  readonly createdAt: string;
  readonly environment: 'sandbox' | 'live';
  readonly companyId: string;
  /** Grows with each event of the same object, from 1: what has a smaller one is older. */
  readonly objectVersion: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}
