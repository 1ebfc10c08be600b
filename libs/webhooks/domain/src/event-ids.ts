import { deterministicId } from '@florin/kernel';
import type { WebhookEvent } from './event-types';

/** The kinds of objects that events are about. */
export type ObjectKind = 'operation' | 'invoice' | 'card' | 'transaction' | 'holder' | 'webhook_endpoint';

/** The same for every repeat, so that receivers can tell one. An event of the log can tell of several objects. */
export function eventIdOf(sourceEventId: string, kind: ObjectKind): WebhookEvent['id'] {
  return `evt_${deterministicId('webhook event', sourceEventId, kind).replaceAll('-', '')}`;
}
