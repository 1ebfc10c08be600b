import type { Environment } from '@florin/companies-domain';
import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import type { SpentTokens } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../caller';
import { ApiError } from '../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { maxBulkOperations } from './request-costs';
import { SharedBucket, type SharedPolicy } from './shared-bucket';

/** The values of the `RateLimit` and `RateLimit-Policy` headers, in the syntax of the IETF draft. */
export interface RateLimitHeaders {
  readonly policy: string;
  readonly remaining: string;
}

/** Whose tokens are counted. */
type Owner = Pick<Caller, 'companyId' | 'environment'>;

interface NamedPolicy extends SharedPolicy {
  readonly name: string;
  readonly counted: string;
  readonly header: string;
}

export type RateClass = 'default' | 'statements' | 'bulk';

/** What this gateway has granted to a busy company since it is busy. */
interface Spending {
  spent: number;
  lastAt: number;
}

const maxBuckets = 100_000;
/** How long a company counts as busy after its last request. */
const busyMs = 10_000;
/** Work in debt stops a company for this long at most. */
const maxDebtSeconds = 5;
/** The operations of this many seconds can be in one bulk request without debt. */
const bulkWindowSeconds = 10;

/** Limits the requests of each company and environment, together with the other gateways ({@link LimitSharing}). */
@Injectable()
export class RateLimiter {
  private readonly buckets = new LRUCache<string, SharedBucket>({ max: maxBuckets });
  private readonly busy = new Map<string, Spending>();
  private readonly policies: Record<Environment, Record<RateClass, NamedPolicy> | undefined>;
  private replicas = 1;

  constructor(
    @Inject(HTTP_API_OPTIONS) { rateLimits: limits }: Pick<HttpApiOptions, 'rateLimits'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const perMinute = limits.statementsPerMinute ?? 10;
    const statements = namedPolicy('statements', perMinute, 60, perMinute);
    const policiesFor = (perSecond: number) =>
      perSecond === 0
        ? undefined
        : {
            default: namedPolicy('default', perSecond, 1, perSecond * maxDebtSeconds),
            bulk: namedPolicy(
              'bulk',
              perSecond * bulkWindowSeconds,
              bulkWindowSeconds,
              maxBulkOperations,
              'operations',
            ),
            statements,
          };
    this.policies = { live: policiesFor(limits.live), sandbox: policiesFor(limits.sandbox) };
  }

  get isOn(): boolean {
    return Object.values(this.policies).some((policies) => policies !== undefined);
  }

  /** Counts one request. Returns nothing if the limit is off. */
  count(companyId: string, environment: Environment, rateClass: RateClass = 'default'): RateLimitResult | undefined {
    return this.takeFrom({ companyId, environment }, rateClass, 1, (bucket, now) => bucket.take(this.replicas, now));
  }

  /**
   * Counts the operations of a bulk request, of which `count` has counted one. Refused if concurrent bulk requests have used up the
   * limit since.
   */
  countBulk(owner: Owner, operations: number): RateLimitResult | undefined {
    const more = operations - 1;
    return this.takeFrom(owner, 'bulk', more, (bucket, now) => bucket.takeMore(more, this.replicas, now));
  }

  /** Charges for work that a request has caused, beyond the token that it has paid. */
  charge({ companyId, environment }: Owner, tokens: number): void {
    const policy = this.policies[environment]?.default;
    if (policy === undefined || tokens <= 0) return;
    const key = `${companyId}/${environment}/default`;
    const now = this.now();
    const bucket = this.bucketOf(key, policy, now);
    bucket.spend(tokens);
    this.recordSpending(key, bucket, tokens, now);
  }

  /** Waits until the company has paid for all work that it was charged for. */
  async untilPaid({ companyId, environment }: Owner): Promise<void> {
    const bucket = this.buckets.get(`${companyId}/${environment}/default`);
    if (bucket === undefined) return;
    for (let waitMs = bucket.msUntilPaid(this.now()); waitMs > 0; waitMs = bucket.msUntilPaid(this.now())) {
      await delay(waitMs, undefined, { ref: false });
    }
  }

  /** What this gateway has granted to busy companies, for the others. */
  spent(): SpentTokens {
    const idle = this.now() - busyMs;
    for (const [key, { lastAt }] of this.busy) if (lastAt < idle) this.busy.delete(key);
    return Object.fromEntries([...this.busy].map(([key, { spent }]) => [key, spent]));
  }

  /** Subtracts what the other gateways have granted, and divides the rest among all of them. */
  share(replicas: number, spentElsewhere: SpentTokens): void {
    this.replicas = replicas;
    const now = this.now();
    for (const [key, tokens] of Object.entries(spentElsewhere)) {
      const [, environment = '', rateClass = ''] = key.split('/');
      const policy = this.policies[environment as Environment]?.[rateClass as RateClass];
      if (policy !== undefined) this.bucketOf(key, policy, now).spendElsewhere(tokens);
    }
    for (const key of this.busy.keys()) this.buckets.get(key)?.enlargeShare(replicas, now);
  }

  private takeFrom(
    { companyId, environment }: Owner,
    rateClass: RateClass,
    tokens: number,
    take: (bucket: SharedBucket, now: number) => boolean,
  ): RateLimitResult | undefined {
    const policy = this.policies[environment]?.[rateClass];
    if (policy === undefined) return undefined;
    const key = `${companyId}/${environment}/${rateClass}`;
    const now = this.now();
    const bucket = this.bucketOf(key, policy, now);
    const allowed = take(bucket, now);
    if (allowed) this.recordSpending(key, bucket, tokens, now);
    return { headers: this.headersOf(bucket, policy), refusal: allowed ? undefined : tooMany(bucket, policy) };
  }

  private bucketOf(key: string, policy: NamedPolicy, now: number): SharedBucket {
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      bucket = new SharedBucket(policy, this.replicas, now);
      this.buckets.set(key, bucket);
    }
    return bucket;
  }

  private recordSpending(key: string, bucket: SharedBucket, tokens: number, now: number): void {
    if (this.replicas === 1) return;
    const spending = this.busy.get(key);
    if (spending !== undefined) {
      spending.spent += tokens;
      spending.lastAt = now;
    } else if (!bucket.isQuiet(this.replicas)) {
      this.busy.set(key, { spent: tokens, lastAt: now });
    }
  }

  private headersOf(bucket: SharedBucket, policy: NamedPolicy): RateLimitHeaders {
    const remaining = `"${policy.name}";r=${bucket.remaining(this.replicas)};t=${bucket.secondsUntilFull()}`;
    return { policy: policy.header, remaining };
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

export interface RateLimitResult {
  readonly headers: RateLimitHeaders;
  readonly refusal?: ApiError;
}

function namedPolicy(
  name: string,
  quota: number,
  windowSeconds: number,
  maxDebt: number,
  counted = 'requests',
): NamedPolicy {
  const header = `"${name}";q=${quota};w=${windowSeconds}`;
  return { name, counted, quota, windowMs: windowSeconds * 1_000, maxDebt, header };
}

function tooMany(bucket: SharedBucket, policy: NamedPolicy): ApiError {
  const seconds = bucket.secondsUntilToken();
  const { counted, quota, windowMs } = policy;
  const message = `Too many ${counted}: at most ${quota} in ${windowMs / 1_000} s. Repeat after ${seconds} s.`;
  return new ApiError('rate_limited', message, { 'retry-after': String(seconds) });
}
