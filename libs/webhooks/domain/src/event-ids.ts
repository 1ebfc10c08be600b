import { deterministicId } from '@florin/kernel';
import type { WebhookEvent } from './event-types';

/** The kinds of objects in events. */
export type ObjectKind = 'operation' | 'invoice' | 'card' | 'transaction' | 'holder' | 'webhook_endpoint';

/** Deterministic, so that clients can detect duplicates. One event of the log can lead to events of several objects. */
export function eventIdOf(sourceEventId: string, kind: ObjectKind): WebhookEvent['id'] {
  return `evt_${deterministicId('webhook event', sourceEventId, kind).replaceAll('-', '')}`;
}

/**
 * The id of a test or sample event. It depends on the request only, so that the response can contain it before the event
 * exists, and a repeated request returns the same id.
 */
export function requestedEventId(requestId: string): WebhookEvent['id'] {
  return `evt_${deterministicId('requested webhook event', requestId).replaceAll('-', '')}`;
}
