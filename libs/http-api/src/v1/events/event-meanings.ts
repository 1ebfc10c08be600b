import type { WebhookEvent } from '@florin/webhooks-domain';

/** When each event is sent. The compiler asks for every type there is. */
export const eventMeanings: Readonly<Record<WebhookEvent['type'], string>> = {
  'operation.queued': 'An operation was accepted and its total is held.',
  'operation.completed': 'An operation was carried out; the held funds are captured.',
  'operation.failed': 'An operation was not carried out, as `failure` tells; the held funds are released.',
  'operation.manual_review': 'The outcome of an operation is unknown; the funds stay held until it is decided.',
  'invoice.pending': 'An invoice can be paid.',
  'invoice.completed': 'An invoice was paid and the account is credited.',
  'invoice.expired': 'An invoice was not paid in time.',
  'invoice.failed': 'An invoice could not be made, or was decided to be void.',
  'invoice.manual_review': 'A payment does not fit its invoice, or came late; it waits for a decision.',
  'card.created': 'A card was issued.',
  'card.updated': 'A card was topped up, frozen, unfrozen or closed, or a payment changed its balance.',
  'transaction.created': 'A payment with a card was made or tried.',
  'transaction.updated': 'A payment has become something else: completed, reversed, expired.',
  'holder.created': 'A cardholder was registered.',
  'holder.updated': "A cardholder's status changed, or the person behind it was erased.",
  'webhook_endpoint.disabled': 'We stopped sending to another endpoint of yours, because it is gone or failing.',
  'webhook_endpoint.test': 'You asked to see an endpoint work. Only that endpoint gets it, subscribed or not.',
};
