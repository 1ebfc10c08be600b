/** Every error code with its status. The table is part of the API contract: codes are added, never changed. */
export const statusOfCode = {
  validation_failed: 400,
  amount_below_minimum: 400,
  insufficient_funds: 400,
  quota_exceeded: 400,
  unresolved_invoice_exists: 400,
  holder_not_active: 400,
  card_not_active: 400,
  insufficient_card_balance: 400,
  product_unavailable: 400,
  statement_too_large: 400,
  sandbox_only: 400,
  invalid_key: 401,
  verification_required: 403,
  scope_missing: 403,
  capability_inactive: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_conflict: 409,
  quote_changed: 409,
  card_not_empty: 409,
  not_four_eyes: 409,
  proposal_closed: 409,
  already_exists: 409,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  event_store_mismatch: 503,
} as const;

export type ApiErrorCode = keyof typeof statusOfCode;

export function isApiErrorCode(code: string): code is ApiErrorCode {
  return Object.hasOwn(statusOfCode, code);
}

/** Of the serialized message: with the other fields, an error body has less than 4 KiB. */
const maxMessageBytes = 3_500;

/** Messages can repeat parts of a request, which are escaped in JSON. */
function bounded(message: string): string {
  // A character has at most six bytes.
  if (message.length * 6 < maxMessageBytes) return message;
  let text = message;
  while (Buffer.byteLength(JSON.stringify(text)) > maxMessageBytes) text = `${text.slice(0, text.length * 0.8)}…`;
  return text;
}

/** Thrown to end a request with an error response. The message says what is wrong and what to do. */
export class ApiError extends Error {
  readonly statusCode: number;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    readonly headers?: Readonly<Record<string, string>>,
    options?: ErrorOptions,
  ) {
    super(bounded(message), options);
    this.name = 'ApiError';
    this.statusCode = statusOfCode[code];
  }
}

export function validationFailed(message: string): ApiError {
  return new ApiError('validation_failed', message);
}

export function notFound(message: string): ApiError {
  return new ApiError('not_found', message);
}
