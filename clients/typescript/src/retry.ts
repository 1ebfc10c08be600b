import { ApiError, ConnectionError } from './errors';

/** After 500 the outcome is unknown. 502 and 504 come from a proxy that lost its connection to Florin. */
const repeatable = new Set([408, 429, 500, 502, 503, 504]);
const maxDelayMs = 8_000;
/** A longer `Retry-After` fails the call, which would last for minutes otherwise. */
const maxRetryAfterSeconds = 60;

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
}

/**
 * The pause before the next attempt, or undefined if the request is not repeated. Every request can be repeated: a POST has an
 * Idempotency-Key, and the others have no second effect.
 */
export function retryDelayOf(
  error: unknown,
  attempt: number,
  { maxRetries, retryDelayMs }: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  if (attempt > maxRetries) return undefined;
  // Between half and all of it, so that clients that failed at the same time do not come back at the same time.
  const delayMs = Math.min(retryDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + random() / 2);
  if (error instanceof ConnectionError) return delayMs;
  if (!(error instanceof ApiError) || !repeatable.has(error.status)) return undefined;
  const { retryAfterSeconds = 0 } = error;
  return retryAfterSeconds > maxRetryAfterSeconds ? undefined : retryAfterSeconds * 1_000 + delayMs;
}

/** `Retry-After` is a number of seconds or, from some proxies, a date. */
export function readRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000));
}
