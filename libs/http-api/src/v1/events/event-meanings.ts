import type { WebhookEvent } from '@florin/webhooks-domain';

/** When each event is sent. The compiler requires an entry for every type. */
export const eventMeanings: Readonly<Record<WebhookEvent['type'], string>> = {
  'operation.queued': 'An operation was accepted and its total is reserved.',
  'operation.completed': 'An operation succeeded, and its reserved funds were captured.',
  'operation.failed': 'An operation failed, and its reserved funds were released. `failure` contains the reason.',
  'operation.manual_review':
    'The outcome of an operation is unknown. The funds stay reserved until an operator decides.',
  'invoice.pending': 'An invoice is ready to be paid.',
  'invoice.completed': 'An invoice was paid, and the account was credited.',
  'invoice.expired': 'An invoice expired without a payment.',
  'invoice.failed': 'An invoice could not be created, or an operator rejected it.',
  'invoice.manual_review': 'A payment arrived late or could not be credited. An operator has to decide.',
  'card.created': 'A card was issued.',
  'card.updated': 'A card changed: its status, its amounts, its name, its limits or its metadata.',
  'transaction.created': 'A card payment was made or declined.',
  'transaction.updated': 'The status of a card payment changed, for example to completed, reversed or expired.',
  'holder.created': 'A cardholder was registered.',
  'holder.updated': 'The status of a cardholder changed, or the personal data of the cardholder was erased.',
  'webhook_endpoint.disabled': 'Florin disabled another of your endpoints, because it returned 410 or kept failing.',
  'webhook_endpoint.test':
    'You requested a test of an endpoint. Only that endpoint receives it, regardless of its subscriptions.',
};
