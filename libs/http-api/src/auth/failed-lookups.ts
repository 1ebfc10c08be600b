import { BoundedMap, type Clock } from '@florin/kernel';
import { ApiError } from '../errors/api-error';
import { fullBucket, refill, type TokenBucket } from '../rate-limit/token-bucket';

const policy = { quota: 20, windowMs: 1_000 };
const maximumAddresses = 10_000;

/**
 * Unknown keys are not remembered, because anybody can invent them; instead each address may make only so many of the
 * reads that find nothing. Who comes with a key that exists never notices.
 */
export class FailedLookups {
  private readonly buckets = new BoundedMap<TokenBucket>(maximumAddresses);

  constructor(private readonly clock: Clock) {}

  refuseWhenTooMany(remoteAddress: string): void {
    const bucket = this.buckets.get(remoteAddress);
    if (bucket === undefined) return;
    refill(bucket, policy, this.now());
    if (bucket.tokens >= 1) return;
    const message = 'Too many requests with unknown API keys from this address: repeat after 1 s with a valid key.';
    throw new ApiError('rate_limited', message, { 'retry-after': '1' });
  }

  count(remoteAddress: string): void {
    const now = this.now();
    const bucket = this.buckets.get(remoteAddress) ?? fullBucket(policy, now);
    refill(bucket, policy, now);
    // Lookups that ran at the same time may take more than there was; the debt is paid off before the next one.
    bucket.tokens = Math.max(-policy.quota, bucket.tokens - 1);
    this.buckets.set(remoteAddress, bucket);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
