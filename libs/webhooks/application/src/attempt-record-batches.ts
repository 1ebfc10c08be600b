import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, exponentialBackoff, type SubscriptionLog } from '@florin/event-sourcing';
import type { DeliveryQueue, FailingEndpoint, AttemptRecord } from './delivery-queue.port';

/** Collects results for a moment, so that one statement stores hundreds. */
const gatherMs = 50;
const maxBatchSize = 5_000;
/** After that the results are dropped: the claims expire and the deliveries are sent again. */
const maxTries = 5;

export interface AttemptRecordBatchesOptions {
  readonly queue: DeliveryQueue;
  readonly log: SubscriptionLog;
  readonly onStored: (records: readonly AttemptRecord[], failing: readonly FailingEndpoint[]) => void;
  readonly backoff?: Backoff;
}

/** Stores the results of attempts, one batch after another. */
export class AttemptRecordBatches {
  private pending: AttemptRecord[] = [];
  private storing: Promise<void> | undefined;

  constructor(private readonly options: AttemptRecordBatchesOptions) {}

  add(record: AttemptRecord): void {
    this.pending.push(record);
    this.storing ??= this.storeAll().finally(() => (this.storing = undefined));
  }

  /** Waits until all added results are stored or dropped. */
  async waitUntilStored(): Promise<void> {
    while (this.storing) await this.storing;
  }

  private async storeAll(): Promise<void> {
    while (this.pending.length > 0) {
      if (this.pending.length < maxBatchSize) await delay(gatherMs);
      await this.store(this.pending.splice(0, maxBatchSize));
    }
  }

  private async store(batch: readonly AttemptRecord[]): Promise<void> {
    const { queue, log, onStored, backoff = exponentialBackoff(100, 5_000) } = this.options;
    for (let tries = 1; tries <= maxTries; tries++) {
      try {
        return onStored(batch, await queue.recordAttempts(batch));
      } catch (error) {
        log.warn({ count: batch.length, err: error }, 'Cannot store the results of webhook deliveries; retrying');
        await backoff.wait(tries);
      }
    }
    log.error({ count: batch.length }, 'Dropped the results of webhook deliveries; they will be sent again');
  }
}
