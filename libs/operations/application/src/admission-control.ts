import { CLOCK, Semaphore } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_OPTIONS, type OperationsOptions, type AdmissionControlOptions } from './operations-options';

/** Measured with `npm run bench`: of so many at once the appends are large batches, and so few hardly slow a request down. */
const defaults: AdmissionControlOptions = {
  advancesWhenBusy: 8,
  advancesWhenIdle: 256,
  fewerPerRequest: 12,
  maxWaitMs: 5_000,
};

/**
 * More would only wait until nobody waits for their answer any more. On Kafka they share partitions with the commands that
 * begin operations, of which the bus takes a thousand at a time: requests in line must leave most of that to them.
 */
const longestLine = 200;

/**
 * Divides this process between clients who wait for an answer and what was accepted before. A burst of requests is taken
 * in first. But what was accepted must not pile up: the longer new operations wait for their turn, the more of them have
 * it at once, and in the end one request is taken in for every operation that is begun.
 */
@Injectable()
export class AdmissionControl {
  private readonly requests: Semaphore;
  private readonly advances: Semaphore;
  /** How long the new operation that had its turn last had waited for it. */
  private waitedMs = 0;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) { admission = defaults }: Pick<OperationsOptions, 'admission'>,
  ) {
    this.requests = new Semaphore(() => (this.waitedMs <= 2 * admission.maxWaitMs ? Infinity : 1), refuseTooLongLine);
    this.advances = new Semaphore(() => maxAdvances(admission, this.requests.count, this.waitedMs));
  }

  /** For what a client waits for. */
  request<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.requests.run(task);
  }

  /** For an operation that was accepted at that time, and has its first turn. */
  begin<Result>(acceptedAt: string, task: () => Promise<Result>): Promise<Result> {
    return this.advances.run(() => {
      this.waitedMs = this.clock.now().getTime() - Date.parse(acceptedAt);
      this.requests.admit();
      return task();
    });
  }

  /** For an operation that has to be moved on. */
  advance<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.advances.run(task);
  }
}

/** The more clients wait, the fewer; after the patience more again, and after twice the patience as many as at rest. */
export function maxAdvances(
  { advancesWhenBusy, advancesWhenIdle, fewerPerRequest, maxWaitMs }: AdmissionControlOptions,
  requests: number,
  waitedMs: number,
): number {
  const leftByRequests = advancesWhenIdle - fewerPerRequest * requests;
  const dueByNow = advancesWhenIdle * Math.min(1, waitedMs / maxWaitMs - 1);
  return Math.max(advancesWhenBusy, leftByRequests, Math.floor(dueByNow));
}

function refuseTooLongLine(waiting: number): void {
  if (waiting < longestLine) return;
  throw new Error('More operations were accepted than can be carried out now; repeat in a moment with the same id');
}
