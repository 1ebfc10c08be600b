import type { Environment } from '@florin/companies-domain';
import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../caller';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { tenthOf } from './command-turns';
import { fullBucket, msUntilTurn, type RatePolicy, type TokenBucket } from './token-bucket';

/** Requests start at up to this many times the rate, so that a burst that the rate limit admits ends soon. */
const burstSpeed = 2;
const maxBuckets = 100_000;

/**
 * Spreads the requests of a company over time. A rate limit admits all requests of a second at once; started at once, they would
 * delay the requests of other companies. Without a rate limit, there is no limit here either.
 */
@Injectable()
export class RequestTurns {
  private readonly policies: Readonly<Record<Environment, RatePolicy | undefined>>;
  private readonly starts = new LRUCache<string, TokenBucket>({ max: maxBuckets });

  constructor(
    @Inject(HTTP_API_OPTIONS) { rateLimits }: Pick<HttpApiOptions, 'rateLimits'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.policies = { live: startPolicy(rateLimits.live), sandbox: startPolicy(rateLimits.sandbox) };
  }

  /** Takes a turn for a request that the rate limit has admitted. Returns how long the request has to wait for it. */
  msUntilTurn({ companyId, environment }: Pick<Caller, 'companyId' | 'environment'>): number {
    const policy = this.policies[environment];
    if (policy === undefined) return 0;
    const key = `${companyId}/${environment}`;
    const now = this.clock.now().getTime();
    let bucket = this.starts.get(key);
    if (bucket === undefined) {
      bucket = fullBucket(policy, now);
      this.starts.set(key, bucket);
    }
    return msUntilTurn(bucket, policy, now);
  }
}

/** A tenth of the rate at once, and then twice the rate. */
function startPolicy(perSecond: number): RatePolicy | undefined {
  if (perSecond === 0) return undefined;
  const quota = tenthOf(perSecond);
  return { quota, windowMs: (quota * 1_000) / (perSecond * burstSpeed) };
}
