import type { WebhookEvent } from '@florin/webhooks-domain';

/** Whose something is. */
export type EventOwner = Pick<WebhookEvent, 'companyId' | 'environment'>;
