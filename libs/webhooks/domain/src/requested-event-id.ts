import { deterministicId } from '@florin/kernel';
import type { WebhookEvent } from './event-types';

/**
 * The id of a test or sample event. It depends on the request only, so that the response can contain it before the event
 * exists, and a repeated request returns the same id.
 */
export function requestedEventId(requestId: string): WebhookEvent['id'] {
  return `evt_${deterministicId('requested webhook event', requestId).replaceAll('-', '')}`;
}
