import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, exponentialBackoff, type SubscriptionLog } from '@florin/event-sourcing';
import type { DeliveryQueue, FailingEndpoint, Settlement } from './delivery-queue.port';

/** Lets attempts gather, since nobody waits for them: one statement then stores hundreds. */
const gatherMs = 50;
const mostAtOnce = 5_000;
/** Whatever cannot be stored is forgotten in the end. The claims run out, and it is sent again. */
const mostTries = 5;

export interface SettlementBatchesOptions {
  readonly queue: DeliveryQueue;
  readonly log: SubscriptionLog;
  readonly onSettled: (settled: readonly Settlement[], failing: readonly FailingEndpoint[]) => void;
  readonly backoff?: Backoff;
}

/** Stores how attempts have ended, one batch after the other. */
export class SettlementBatches {
  private pending: Settlement[] = [];
  private storing: Promise<void> | undefined;

  constructor(private readonly options: SettlementBatchesOptions) {}

  add(settlement: Settlement): void {
    this.pending.push(settlement);
    this.storing ??= this.storeAll().finally(() => (this.storing = undefined));
  }

  /** Waits until everything is stored that was added, or given up. */
  async stored(): Promise<void> {
    while (this.storing) await this.storing;
  }

  private async storeAll(): Promise<void> {
    while (this.pending.length > 0) {
      if (this.pending.length < mostAtOnce) await delay(gatherMs);
      await this.store(this.pending.splice(0, mostAtOnce));
    }
  }

  private async store(batch: readonly Settlement[]): Promise<void> {
    const { queue, log, onSettled, backoff = exponentialBackoff(100, 5_000) } = this.options;
    for (let tries = 1; tries <= mostTries; tries++) {
      try {
        return onSettled(batch, await queue.settle(batch));
      } catch (error) {
        log.warn({ count: batch.length, err: error }, 'Could not store how webhook deliveries went; trying again');
        await backoff.wait(tries);
      }
    }
    log.error({ count: batch.length }, 'How webhook deliveries went could not be stored; they will be sent again');
  }
}
