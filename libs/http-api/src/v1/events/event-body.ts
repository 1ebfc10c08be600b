import type { WebhookEvent } from '@florin/webhooks-domain';
import type { z } from 'zod';
import type { webhookEvent } from './event-schemas';

/** A stored event always fits its schema, but the compiler cannot relate the type to the object. */
export function eventBody(event: WebhookEvent): z.output<typeof webhookEvent> {
  return event as z.output<typeof webhookEvent>;
}
