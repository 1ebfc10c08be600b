/** At most `quota` requests at once, and `quota` per `windowMs` in the long run. */
export interface RatePolicy {
  readonly quota: number;
  readonly windowMs: number;
}

/** The tokens at the time `filledAt`. Refilling is arithmetic; no timer runs. */
export interface TokenBucket {
  tokens: number;
  filledAt: number;
}

export function fullBucket(policy: RatePolicy, now: number): TokenBucket {
  return { tokens: policy.quota, filledAt: now };
}

/** Adds the tokens since `filledAt`. A clock that steps back neither adds nor removes any. */
export function refill(bucket: TokenBucket, policy: RatePolicy, now: number): void {
  const elapsed = now - bucket.filledAt;
  bucket.filledAt = now;
  if (elapsed <= 0) return;
  bucket.tokens = Math.min(policy.quota, bucket.tokens + (elapsed * policy.quota) / policy.windowMs);
}

/** Takes one token if there is one. */
export function take(bucket: TokenBucket, policy: RatePolicy, now: number): boolean {
  refill(bucket, policy, now);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

/** Takes one token in any case. Returns how long to wait until it is there. */
export function msUntilTurn(bucket: TokenBucket, policy: RatePolicy, now: number): number {
  refill(bucket, policy, now);
  bucket.tokens -= 1;
  return (Math.max(0, -bucket.tokens) * policy.windowMs) / policy.quota;
}

export function secondsUntilToken(bucket: TokenBucket, policy: RatePolicy): number {
  return seconds(1 - bucket.tokens, policy);
}

export function secondsUntilFull(bucket: TokenBucket, policy: RatePolicy): number {
  return seconds(policy.quota - bucket.tokens, policy);
}

function seconds(missingTokens: number, policy: RatePolicy): number {
  return Math.ceil((Math.max(0, missingTokens) * policy.windowMs) / policy.quota / 1_000);
}
