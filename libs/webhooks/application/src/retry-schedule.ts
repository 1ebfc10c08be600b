const minute = 60_000;
const hour = 60 * minute;
/** The pauses after the first failed attempt, the second, and so on. After the last of them there is one more attempt. */
const pausesMs = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** Pauses vary by so much, lest those that failed together come back together. */
const jitter = 0.1;
const longestRetryAfterMs = 24 * hour;

/**
 * When to try again after so many failed attempts; never again, where it is undefined. A receiver may ask for a longer
 * pause, but not for a shorter one. `random` is from 0 to 1.
 */
export function nextAttemptAt(attempts: number, now: Date, random: number, retryAfterMs = 0): Date | undefined {
  const pause = pausesMs[attempts - 1];
  if (pause === undefined) return undefined;
  const varied = pause * (1 - jitter + 2 * jitter * random);
  return new Date(now.getTime() + Math.round(Math.max(varied, Math.min(retryAfterMs, longestRetryAfterMs))));
}
