import type { WebhookEvent } from '@florin/webhooks-domain';
import type { z } from 'zod';
import type { webhookEvent } from './event-schemas';

/** Which object belongs to which type is known to the schemas alone; what is stored was derived to fit them. */
export function eventBody(event: WebhookEvent): z.output<typeof webhookEvent> {
  return event as z.output<typeof webhookEvent>;
}
