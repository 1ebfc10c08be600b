import type { WebhookEvent } from '@florin/webhooks-domain';

export interface WebhookEventFilter {
  readonly type?: WebhookEvent['type'];
  /** Both instants belong to the range. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
}

export interface DeliveryAttemptView {
  /** From 1. */
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: 'acknowledged' | 'refused' | 'unreachable' | 'forbidden';
  readonly statusCode?: number;
  readonly error?: string;
  /** The beginning of the response. */
  readonly excerpt?: string;
}

/** The delivery of an event to an endpoint. */
export interface DeliveryView {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: WebhookEvent['type'];
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Only while it is pending. */
  readonly nextAttemptAt?: string;
  readonly lastAttemptAt?: string;
  readonly lastStatusCode?: number;
  readonly lastError?: string;
  readonly createdAt: string;
  /** The first attempt first. */
  readonly log: readonly DeliveryAttemptView[];
}
