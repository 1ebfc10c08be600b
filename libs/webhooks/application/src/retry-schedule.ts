const minute = 60_000;
const hour = 60 * minute;
/** The delays after the first failed attempt, the second, and so on. One more attempt follows the last delay. */
const delaysMs = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** Spreads the retries of deliveries that failed together. */
const jitter = 0.1;
const maxRetryAfterMs = 24 * hour;

/**
 * When to retry after `attempts` failed attempts; undefined after the last one. Retry-After can lengthen the delay but not
 * shorten it. `random` is from 0 to 1.
 */
export function nextAttemptAt(attempts: number, now: Date, random: number, retryAfterMs = 0): Date | undefined {
  const delay = delaysMs[attempts - 1];
  if (delay === undefined) return undefined;
  const varied = delay * (1 - jitter + 2 * jitter * random);
  return new Date(now.getTime() + Math.round(Math.max(varied, Math.min(retryAfterMs, maxRetryAfterMs))));
}
