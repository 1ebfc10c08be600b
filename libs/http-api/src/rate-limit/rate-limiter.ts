import type { Environment } from '@florin/companies-domain';
import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import {
  fullBucket,
  type RatePolicy,
  secondsUntilFull,
  secondsUntilToken,
  take,
  type TokenBucket,
} from './token-bucket';

/** The values of the `RateLimit` and `RateLimit-Policy` headers, in the syntax of the IETF draft. */
export interface RateLimitHeaders {
  readonly policy: string;
  readonly remaining: string;
}

interface NamedPolicy extends RatePolicy {
  readonly name: string;
  readonly header: string;
}

export type RateClass = 'default' | 'statements';

const maxBuckets = 100_000;

/** Limits the requests of each company and environment. Every replica counts separately. */
@Injectable()
export class RateLimiter {
  private readonly buckets = new LRUCache<string, TokenBucket>({ max: maxBuckets });
  private readonly policies: Record<Environment, Record<RateClass, NamedPolicy> | undefined>;

  constructor(
    @Inject(HTTP_API_OPTIONS) { rateLimits: limits }: HttpApiOptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const statements = namedPolicy('statements', limits.statementsPerMinute ?? 10, 60);
    const policiesFor = (perSecond: number) =>
      perSecond === 0 ? undefined : { default: namedPolicy('default', perSecond, 1), statements };
    this.policies = { live: policiesFor(limits.live), sandbox: policiesFor(limits.sandbox) };
  }

  /** Counts one request. Returns nothing if the limit is off. */
  count(companyId: string, environment: Environment, rateClass: RateClass = 'default'): RateLimitResult | undefined {
    const policy = this.policies[environment]?.[rateClass];
    if (policy === undefined) return undefined;
    const now = this.clock.now().getTime();
    const key = `${companyId}/${environment}/${rateClass}`;
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      bucket = fullBucket(policy, now);
      this.buckets.set(key, bucket);
    }
    const allowed = take(bucket, policy, now);
    const remaining = `"${policy.name}";r=${Math.floor(bucket.tokens)};t=${secondsUntilFull(bucket, policy)}`;
    return { headers: { policy: policy.header, remaining }, refusal: allowed ? undefined : tooMany(bucket, policy) };
  }
}

export interface RateLimitResult {
  readonly headers: RateLimitHeaders;
  readonly refusal?: ApiError;
}

function namedPolicy(name: string, quota: number, windowSeconds: number): NamedPolicy {
  return { name, quota, windowMs: windowSeconds * 1_000, header: `"${name}";q=${quota};w=${windowSeconds}` };
}

function tooMany(bucket: TokenBucket, policy: NamedPolicy): ApiError {
  const seconds = Math.max(1, secondsUntilToken(bucket, policy));
  const message = `Too many requests: at most ${policy.quota} in ${policy.windowMs / 1_000} s. Repeat after ${seconds} s.`;
  return new ApiError('rate_limited', message, { 'retry-after': String(seconds) });
}
