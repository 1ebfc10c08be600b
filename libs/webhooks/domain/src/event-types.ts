/** The event types that endpoints can subscribe to. */
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

/** Sent to one endpoint on request, regardless of its subscription. */
export const testEventType = 'webhook_endpoint.test';

/** The body of a delivery and of `GET /events/{id}`. */
export interface WebhookEvent {
  readonly id: `evt_${string}`;
  readonly type: WebhookEventType | typeof testEventType;
  readonly createdAt: string;
  readonly environment: 'sandbox' | 'live';
  readonly companyId: string;
  /** Increases with each event of the same object, from 1. */
  readonly objectVersion: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}
