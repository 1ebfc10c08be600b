import { deterministicId } from '@florin/kernel';
import type { WebhookEvent } from './event-types';

/** The kinds of objects in events. */
export type ObjectKind = 'operation' | 'invoice' | 'card' | 'transaction' | 'holder' | 'webhook_endpoint';

/** Deterministic, so that clients can detect duplicates. One event of the log can lead to events of several objects. */
export function eventIdOf(sourceEventId: string, kind: ObjectKind): WebhookEvent['id'] {
  return `evt_${deterministicId('webhook event', sourceEventId, kind).replaceAll('-', '')}`;
}
