import { CLOCK, type CommandReply, Semaphore } from '@florin/event-sourcing';
import { type Clock, refuse } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_OPTIONS, type OperationsOptions, type AdmissionControlOptions } from './operations-options';

/** Measured with `npm run bench`: 256 concurrent advances fill large append batches, and 8 hardly slow down requests. */
const defaults: AdmissionControlOptions = {
  advancesWhenBusy: 8,
  advancesWhenIdle: 256,
  fewerPerRequest: 12,
  maxWaitMs: 5_000,
};

/**
 * More requests would only time out. On Kafka they share partitions with the commands that start operations, of which the bus
 * takes a thousand at a time. Waiting requests must leave most of that capacity to these commands.
 */
const maxQueuedRequests = 200;

/**
 * Divides the capacity of this process between waiting requests and accepted operations. A burst of requests is admitted first.
 * The longer new operations wait, the more of them run at once; in the end one request is admitted per started operation.
 */
@Injectable()
export class AdmissionControl {
  private readonly requests: Semaphore;
  private readonly advances: Semaphore;
  private readonly isOverloaded: () => boolean;
  /** The waiting time of the new operation that was admitted last. */
  private waitedMs = 0;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) { admission = defaults }: Pick<OperationsOptions, 'admission'>,
  ) {
    this.isOverloaded = () => this.waitedMs > 2 * admission.maxWaitMs;
    this.requests = new Semaphore(() => (this.isOverloaded() ? 1 : Infinity), rejectTooMany);
    this.advances = new Semaphore(() => maxAdvances(admission, this.requests.count, this.waitedMs));
  }

  /** Runs the task of a request that a client waits for. */
  request<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.requests.run(task);
  }

  /** The same for many operations at once. While operations wait too long, only single requests are admitted. */
  async bulkRequest<Answer>(
    task: () => Promise<CommandReply<Answer, never>>,
  ): Promise<CommandReply<Answer, 'unavailable'>> {
    if (this.isOverloaded()) return { ok: false, refusal: refuse('unavailable', tooManyWaiting) };
    return this.requests.run(task);
  }

  /** Runs the first step of an operation that was accepted at `acceptedAt`. */
  begin<Result>(acceptedAt: string, task: () => Promise<Result>): Promise<Result> {
    return this.advances.run(() => {
      this.waitedMs = this.clock.now().getTime() - Date.parse(acceptedAt);
      this.requests.admit();
      return task();
    });
  }

  /** Runs a later step of an operation. */
  advance<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.advances.run(task);
  }
}

/** Decreases with the number of waiting requests, and increases again once operations wait longer than `maxWaitMs`. */
export function maxAdvances(
  { advancesWhenBusy, advancesWhenIdle, fewerPerRequest, maxWaitMs }: AdmissionControlOptions,
  requests: number,
  waitedMs: number,
): number {
  const leftByRequests = advancesWhenIdle - fewerPerRequest * requests;
  const dueByNow = advancesWhenIdle * Math.min(1, waitedMs / maxWaitMs - 1);
  return Math.max(advancesWhenBusy, leftByRequests, Math.floor(dueByNow));
}

function rejectTooMany(waiting: number): void {
  if (waiting < maxQueuedRequests) return;
  throw new Error('Too many requests are waiting; retry later with the same id');
}

const tooManyWaiting =
  'Too many operations are waiting to be processed: repeat the request in some seconds with the same keys';
