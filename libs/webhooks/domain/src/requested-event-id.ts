import { deterministicId } from '@florin/kernel';
import type { WebhookEvent } from './event-types';

/**
 * The id of an event that a client has asked for, a test or a sample. It is made of the request alone, so that the
 * request can be answered with it: whoever asked can look the event up, and a repeat names the same one.
 */
export function requestedEventId(requestId: string): WebhookEvent['id'] {
  return `evt_${deterministicId('requested webhook event', requestId).replaceAll('-', '')}`;
}
