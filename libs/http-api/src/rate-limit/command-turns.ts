import type { Environment } from '@florin/companies-domain';
import { CLOCK, FairQueue, QueueFull, QueueTimeout } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../caller';
import { ApiError } from '../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { fullBucket, msUntilTurn, type RatePolicy, type TokenBucket } from './token-bucket';

/** A company reaches its rate as long as a command takes at most this long. */
const commandMs = 100;
const minInProgress = 2;
/** Commands start at up to this many times the rate, so that a burst that the rate limit admits ends soon. */
const burstSpeed = 2;
/** Together with the time for a reply, a request takes at most ten seconds. */
const maxWaitMs = 2_000;
const maxBuckets = 100_000;

/**
 * Spreads the commands of a company over time. A rate limit admits all requests of a second at once; executed at once, they would
 * delay the requests of other companies. Without a rate limit, there is no limit here either.
 */
@Injectable()
export class CommandTurns {
  private readonly turns: Readonly<Record<Environment, CompanyTurns | undefined>>;

  constructor(
    @Inject(HTTP_API_OPTIONS) { rateLimits }: Pick<HttpApiOptions, 'rateLimits'>,
    @Inject(CLOCK) clock: Clock,
  ) {
    const turnsFor = (perSecond: number) => (perSecond === 0 ? undefined : new CompanyTurns(perSecond, clock));
    this.turns = { live: turnsFor(rateLimits.live), sandbox: turnsFor(rateLimits.sandbox) };
  }

  run<Result>(
    { companyId, environment }: Pick<Caller, 'companyId' | 'environment'>,
    execute: () => Promise<Result>,
  ): Promise<Result> {
    return this.turns[environment]?.run(companyId, execute) ?? execute();
  }
}

/** The turns of all companies in one environment. */
class CompanyTurns {
  private readonly starts = new LRUCache<string, TokenBucket>({ max: maxBuckets });
  private readonly startPolicy: RatePolicy;
  private readonly inProgress: FairQueue;

  constructor(
    perSecond: number,
    private readonly clock: Clock,
  ) {
    const slotsPerGroup = Math.max(minInProgress, Math.ceil((perSecond * commandMs) / 1_000));
    const maxWaitingPerGroup = Math.ceil((perSecond * maxWaitMs) / 1_000);
    this.inProgress = new FairQueue({ slots: Infinity, slotsPerGroup, maxWaitingPerGroup, maxWaitMs });
    this.startPolicy = { quota: slotsPerGroup, windowMs: (slotsPerGroup * 1_000) / (perSecond * burstSpeed) };
  }

  async run<Result>(companyId: string, execute: () => Promise<Result>): Promise<Result> {
    const waitMs = msUntilTurn(this.startsOf(companyId), this.startPolicy, this.clock.now().getTime());
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    try {
      return await this.inProgress.run(companyId, execute);
    } catch (error) {
      throw error instanceof QueueTimeout || error instanceof QueueFull ? tooManyInProgress(error) : error;
    }
  }

  private startsOf(companyId: string): TokenBucket {
    let starts = this.starts.get(companyId);
    if (starts === undefined) {
      starts = fullBucket(this.startPolicy, this.clock.now().getTime());
      this.starts.set(companyId, starts);
    }
    return starts;
  }
}

function tooManyInProgress(cause: Error): ApiError {
  const message =
    'Too many requests of this company are in progress: send fewer at the same time, and retry with the same Idempotency-Key.';
  return new ApiError('unavailable', message, { 'retry-after': '1' }, { cause });
}
