import { BackgroundTask, CLOCK, exponentialBackoff } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { AttemptRunner } from './attempt-runner';
import { type ClaimedDelivery, DELIVERY_QUEUE, type DeliveryQueue } from './delivery-queue.port';
import { EndpointDisabler } from './endpoint-disabler';
import { AttemptRecordBatches } from './attempt-record-batches';
import { WakeSignal } from './wake-signal';
import { WEBHOOK_SENDER, type WebhookSender } from './webhook-sender.port';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

const claimLimit = 4_000;
/** The polling interval: notifications can be lost, and due deliveries may wait for capacity. */
const [maxPauseMs, minPauseMs] = [5_000, 100];

/**
 * Sends due deliveries and stores the results, in any number of replicas. The claims of a crashed process expire. A
 * delivery whose result it had not stored is sent again with the same event id.
 */
@Injectable()
export class WebhookDispatcher extends BackgroundTask {
  private readonly attempts: AttemptRunner;
  private readonly leaseMs: number;
  private readonly batches: AttemptRecordBatches;
  private readonly signal = new WakeSignal();
  /** Whether the queue may have more due deliveries than the last claim returned. */
  private mayHaveMore = false;
  private releasing: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(DELIVERY_QUEUE) private readonly queue: DeliveryQueue,
    @Inject(WEBHOOK_SENDER) sender: WebhookSender,
    private readonly disabler: EndpointDisabler,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {
    super();
    const { log, backoff, random = Math.random } = options;
    const {
      slots = 256,
      perEndpoint = 8,
      slowMs = 1_000,
      freshMs = 1_000,
      leaseMs = 60_000,
    } = options.dispatcher ?? {};
    this.leaseMs = leaseMs;
    const onStored = disabler.disableFailing.bind(disabler);
    this.batches = new AttemptRecordBatches({ queue, log, onStored, ...(backoff && { backoff }) });
    this.attempts = new AttemptRunner({
      ...{ sender, clock, slots, perEndpoint, slowMs, freshMs, leaseMs, random, log },
      readTargets: (endpointIds) => queue.targets(endpointIds, clock.now()),
      onAttempt: (record) => this.batches.add(record),
      onUnsent: (deliveries) => {
        this.releasing = Promise.all([this.releasing, this.release(deliveries)]);
      },
      onCapacity: () => {
        if (this.mayHaveMore) this.signal.wake();
      },
    });
  }

  /** Waits for attempts in flight for a limited time and releases the claimed deliveries that were not sent. */
  override async stop(): Promise<void> {
    await super.stop();
    const unsent = this.attempts.takeWaiting();
    const aborted = await this.attempts.finish(this.options.dispatcher?.graceMs ?? 5_000);
    await this.waitUntilRecorded();
    await this.release([...unsent, ...aborted, ...this.attempts.takeWaiting()]);
  }

  /** Sends all deliveries that are due now and waits until the results are stored. */
  async deliverDue(): Promise<void> {
    do {
      await this.claim();
      await this.attempts.waitUntilIdle();
      await this.waitUntilRecorded();
    } while (this.mayHaveMore);
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { log, backoff = exponentialBackoff(200, 10_000) } = this.options;
    const wake = (): void => this.signal.wake();
    signal.addEventListener('abort', wake);
    const stopListening = this.queue.listen(wake);
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.claim();
        failures = 0;
        await this.signal.sleep(await this.pauseMs());
      } catch (error) {
        failures += 1;
        log.warn({ err: error }, 'Cannot claim webhook deliveries; retrying');
        await backoff.wait(failures, signal);
      }
    }
    await stopListening();
  }

  private async claim(): Promise<void> {
    await this.attempts.releaseChanged();
    const requestedAt = performance.now();
    const now = this.clock.now();
    const until = new Date(now.getTime() + this.leaseMs);
    let isFull = false;
    const capacityOf = (endpointId: string): number => {
      if (this.attempts.isSuspended(endpointId)) return 0;
      const capacity = this.attempts.capacityOf(endpointId);
      isFull ||= capacity === 0;
      return capacity;
    };
    const claimed = await this.queue.claim({ now, until, limit: claimLimit, capacityOf });
    this.mayHaveMore = claimed.length > 0 || isFull;
    this.attempts.add(claimed, requestedAt);
  }

  private async pauseMs(): Promise<number> {
    if (this.mayHaveMore) return maxPauseMs / 5;
    const now = this.clock.now();
    const due = await this.queue.nextDueAt(now);
    const pause = due ? due.getTime() - now.getTime() : maxPauseMs;
    // There is no notification when a suspended endpoint has been disabled.
    return Math.min(Math.max(pause, minPauseMs), this.attempts.hasSuspended ? maxPauseMs / 5 : maxPauseMs);
  }

  private async waitUntilRecorded(): Promise<void> {
    await this.batches.waitUntilStored();
    await this.disabler.waitUntilIdle();
    await this.releasing;
  }

  private async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.queue.release(deliveries).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'Cannot release webhook deliveries; they wait until their claims expire');
    });
  }
}
