import type { WebhookEvent } from '@florin/webhooks-domain';

/** The owner of an object. */
export type EventOwner = Pick<WebhookEvent, 'companyId' | 'environment'>;
