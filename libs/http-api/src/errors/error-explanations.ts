import type { ApiErrorCode } from './api-error';

export interface ErrorExplanation {
  readonly meaning: string;
  /** What the client does about it. */
  readonly remedy: string;
}

/** What every error code means, for the OpenAPI document. The compiler requires an entry for every code. */
export const errorExplanations: Readonly<Record<ApiErrorCode, ErrorExplanation>> = {
  validation_failed: {
    meaning: 'The request is malformed, or contradicts a rule of the endpoint.',
    remedy: 'Change the request as the message says.',
  },
  amount_below_minimum: {
    meaning: 'The amount is smaller than allowed.',
    remedy: 'Send at least the amount in the message.',
  },
  insufficient_funds: {
    meaning: 'The account has too little available.',
    remedy: 'Fund the account, or send a smaller amount.',
  },
  quota_exceeded: {
    meaning: 'The company has reached its limit of cards per month, or of webhook endpoints.',
    remedy: 'Wait for the next month, or delete a webhook endpoint.',
  },
  unresolved_invoice_exists: {
    meaning: 'Another invoice is not resolved yet.',
    remedy: 'Pay or cancel it, or wait until it is resolved.',
  },
  holder_not_active: {
    meaning: 'The cardholder is not active.',
    remedy: 'Wait until the holder is approved, or use another holder.',
  },
  card_not_active: {
    meaning: 'The status of the card does not allow this.',
    remedy: 'Read the card, and change its status first.',
  },
  insufficient_card_balance: {
    meaning: 'The card has too little available.',
    remedy: 'Top up the card, or send a smaller amount.',
  },
  product_unavailable: {
    meaning: 'The product cannot be ordered, or not with this type of operation.',
    remedy: 'List the products, and use an available one.',
  },
  statement_too_large: {
    meaning: 'The range has more than 366 days or 10,000 entries.',
    remedy: 'Request a shorter range.',
  },
  sandbox_only: {
    meaning: 'The endpoint exists only in the sandbox.',
    remedy: 'Use a key that begins with fl_test_.',
  },
  invalid_key: {
    meaning: 'The key or token is missing, unknown, expired or revoked.',
    remedy: 'Send a valid one in the header Authorization.',
  },
  verification_required: {
    meaning: 'The company is not verified.',
    remedy: 'Complete the verification with the operator of the installation.',
  },
  scope_missing: {
    meaning: 'The key or the operator is not allowed to do this.',
    remedy: 'Use a key with the scope, or a token with the role, that the endpoint names.',
  },
  capability_inactive: {
    meaning: 'Live requires an activation, or a connected system, that is missing.',
    remedy: 'Ask the operator of the installation to activate it.',
  },
  not_found: {
    meaning: 'The object does not exist in this company and environment.',
    remedy: 'Check the id, and the environment of the key.',
  },
  method_not_allowed: {
    meaning: 'The path has no such method.',
    remedy: 'Use a method of the header Allow.',
  },
  request_timeout: {
    meaning: 'The request was not received completely within 30 seconds, and not processed.',
    remedy: 'Send it again.',
  },
  idempotency_conflict: {
    meaning:
      'The request contradicts an earlier one: its Idempotency-Key was used with a different body, or the object has ' +
      'changed since.',
    remedy: 'Use a new key for a new request, or read the object first.',
  },
  quote_changed: {
    meaning: 'The total differs from the expected one.',
    remedy: 'Request a new quote, and confirm the new total.',
  },
  card_not_empty: {
    meaning: 'The card has a balance, pending transactions or pending operations.',
    remedy: 'Unload the card, and wait for what is pending.',
  },
  not_four_eyes: {
    meaning: 'The operator who proposed a decision cannot confirm it.',
    remedy: 'A different operator must send the confirmation.',
  },
  proposal_closed: {
    meaning: 'The proposal was withdrawn.',
    remedy: 'Propose the decision again.',
  },
  already_exists: {
    meaning: 'Another object has this unique value.',
    remedy: 'Read the existing object, or use another value.',
  },
  unsupported_media_type: {
    meaning: 'The charset or the compression of the body is not supported.',
    remedy: 'Send JSON in UTF-8, without compression.',
  },
  rate_limited: {
    meaning: 'The company has sent too many requests.',
    remedy: 'Wait for the seconds in the header Retry-After, and send it again.',
  },
  internal_error: {
    meaning: 'An unexpected error occurred.',
    remedy: 'Send it again later, or contact support with the requestId.',
  },
  unavailable: {
    meaning: 'The service is temporarily unavailable or overloaded.',
    remedy: 'Wait for the seconds in the header Retry-After, and send it again; a POST with the same Idempotency-Key.',
  },
  event_store_mismatch: {
    meaning: 'The service is connected to a different event store, so nothing is stored.',
    remedy: 'Send it again later; a POST with the same Idempotency-Key.',
  },
};
