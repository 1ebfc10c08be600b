import { CLOCK, exponentialBackoff } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Attempts } from './attempts';
import { type ClaimedDelivery, DELIVERY_QUEUE, type DeliveryQueue } from './delivery-queue.port';
import { EndpointDisabler } from './endpoint-disabler';
import { SettlementBatches } from './settlement-batches';
import { Waker } from './waker';
import { WEBHOOK_SENDER, type WebhookSender } from './webhook-sender.port';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

const claimLimit = 4_000;
/** How long to wait for news. It may get lost, and what is due may have to wait for room. */
const [longestPauseMs, shortestPauseMs] = [5_000, 100];

/**
 * Sends what is due and stores how it went, in any number of replicas. A process that dies leaves claims that run out;
 * whatever it had sent without storing so is sent again, with the same event id.
 */
@Injectable()
export class WebhookDispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly attempts: Attempts;
  private readonly leaseMs: number;
  private readonly batches: SettlementBatches;
  private readonly waker = new Waker();
  private stopping = new AbortController();
  private running: Promise<void> | undefined;
  /** Whether the queue may hold more than the last claim took. */
  private mayHaveMore = false;
  private releasing: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(DELIVERY_QUEUE) private readonly queue: DeliveryQueue,
    @Inject(WEBHOOK_SENDER) sender: WebhookSender,
    @Inject(EndpointDisabler) private readonly disabler: EndpointDisabler,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {
    const { log, backoff, random = Math.random } = options;
    const {
      slots = 256,
      perEndpoint = 8,
      slowMs = 1_000,
      freshMs = 1_000,
      leaseMs = 60_000,
    } = options.dispatcher ?? {};
    this.leaseMs = leaseMs;
    const onSettled = disabler.judge.bind(disabler);
    this.batches = new SettlementBatches({ queue, log, onSettled, ...(backoff && { backoff }) });
    this.attempts = new Attempts({
      ...{ sender, clock, slots, perEndpoint, slowMs, freshMs, leaseMs, random, log },
      readReceivers: (endpointIds) => queue.receivers(endpointIds, clock.now()),
      onSettled: (settlement) => this.batches.add(settlement),
      onUnsent: (deliveries) => {
        this.releasing = Promise.all([this.releasing, this.release(deliveries)]);
      },
      onRoom: () => {
        if (this.mayHaveMore) this.waker.wake();
      },
    });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  start(): void {
    this.running ??= this.run(this.stopping.signal);
  }

  /** Waits for the attempts under way with some patience, and gives back whatever was claimed and is not sent. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waker.wake();
    await this.running;
    const unsent = this.attempts.takeBack();
    const brokenOff = await this.attempts.end(this.options.dispatcher?.patienceMs ?? 5_000);
    await this.settled();
    await this.release([...unsent, ...brokenOff, ...this.attempts.takeBack()]);
    this.stopping = new AbortController();
    this.running = undefined;
  }

  /** Sends everything that is due at this moment, and waits until all of it is stored. */
  async deliverDue(): Promise<void> {
    do {
      await this.claim();
      await this.attempts.untilIdle();
      await this.settled();
    } while (this.mayHaveMore);
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { log, backoff = exponentialBackoff(200, 10_000) } = this.options;
    const stopListening = this.queue.listen(() => this.waker.wake());
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.claim();
        failures = 0;
        await this.waker.wait(await this.pauseMs());
      } catch (error) {
        failures += 1;
        log.warn({ err: error }, 'Could not take webhook deliveries from the queue; trying again');
        await backoff.wait(failures, signal);
      }
    }
    await stopListening();
  }

  private async claim(): Promise<void> {
    await this.attempts.letGo();
    const askedAt = performance.now();
    const now = this.clock.now();
    const until = new Date(now.getTime() + this.leaseMs);
    let isFull = false;
    const roomOf = (endpointId: string): number => {
      if (this.attempts.isGone(endpointId)) return 0;
      const room = this.attempts.roomOf(endpointId);
      isFull ||= room === 0;
      return room;
    };
    const claimed = await this.queue.claim({ now, until, limit: claimLimit, roomOf });
    this.mayHaveMore = claimed.length > 0 || isFull;
    this.attempts.add(claimed, askedAt);
  }

  private async pauseMs(): Promise<number> {
    if (this.mayHaveMore) return longestPauseMs / 5;
    const now = this.clock.now();
    const due = await this.queue.nextDueAt(now);
    const pause = due ? due.getTime() - now.getTime() : longestPauseMs;
    // Nobody tells when an endpoint that is gone has been disabled.
    return Math.min(Math.max(pause, shortestPauseMs), this.attempts.hasGone ? longestPauseMs / 5 : longestPauseMs);
  }

  private async settled(): Promise<void> {
    await this.batches.stored();
    await this.disabler.untilIdle();
    await this.releasing;
  }

  private async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.queue.release(deliveries).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'Could not give webhook deliveries back; they wait until their claims end');
    });
  }
}
