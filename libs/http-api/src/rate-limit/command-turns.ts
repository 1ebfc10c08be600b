import type { Environment } from '@florin/companies-domain';
import { FairQueue, QueueFull, QueueTimeout } from '@florin/event-sourcing';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../caller';
import { ApiError } from '../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';

/** A company reaches its rate as long as a command takes at most this long. */
const commandMs = 100;
const minInProgress = 2;
/** Together with the time for a reply, a request takes at most ten seconds. */
const maxWaitMs = 2_000;

/** The requests of one company that may start at once, and the commands that may be in progress. */
export function tenthOf(perSecond: number): number {
  return Math.max(minInProgress, Math.ceil((perSecond * commandMs) / 1_000));
}

/** Limits the commands of a company that are in progress. Without a rate limit, there is no limit here either. */
@Injectable()
export class CommandTurns {
  private readonly inProgress: Readonly<Record<Environment, FairQueue | undefined>>;

  constructor(@Inject(HTTP_API_OPTIONS) { rateLimits }: Pick<HttpApiOptions, 'rateLimits'>) {
    this.inProgress = { live: queueFor(rateLimits.live), sandbox: queueFor(rateLimits.sandbox) };
  }

  async run<Result>(
    { companyId, environment }: Pick<Caller, 'companyId' | 'environment'>,
    execute: () => Promise<Result>,
  ): Promise<Result> {
    const queue = this.inProgress[environment];
    if (queue === undefined) return execute();
    try {
      return await queue.run(companyId, execute);
    } catch (error) {
      throw error instanceof QueueTimeout || error instanceof QueueFull ? tooManyInProgress(error) : error;
    }
  }
}

function queueFor(perSecond: number): FairQueue | undefined {
  if (perSecond === 0) return undefined;
  const maxWaitingPerGroup = Math.ceil((perSecond * maxWaitMs) / 1_000);
  return new FairQueue({ slots: Infinity, slotsPerGroup: tenthOf(perSecond), maxWaitingPerGroup, maxWaitMs });
}

function tooManyInProgress(cause: Error): ApiError {
  const message =
    'Too many requests of this company are in progress: send fewer at the same time, and retry with the same Idempotency-Key.';
  return new ApiError('unavailable', message, { 'retry-after': '1' }, { cause });
}
