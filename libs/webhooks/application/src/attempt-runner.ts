import type { SubscriptionLog } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import type { ClaimedDelivery, EndpointTarget, AttemptRecord } from './delivery-queue.port';
import { goneStatus } from './endpoint-disabler';
import { type AttemptSlot, EndpointScheduler, type SchedulerLimits } from './endpoint-scheduler';
import { EndpointTargetCache, type ReadTargets } from './endpoint-target-cache';
import { nextAttemptAt } from './retry-schedule';
import { signedRequest } from './signed-request';
import { SlowAttemptDetector } from './slow-attempt-detector';
import { SuspendedEndpoints } from './suspended-endpoints';
import type { SendResult, WebhookSender } from './webhook-sender.port';

export interface AttemptRunnerOptions extends SchedulerLimits {
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** The duration after which an attempt marks its endpoint as slow. */
  readonly slowMs: number;
  /** The maximum age of an endpoint's target when an attempt starts. */
  readonly freshMs: number;
  /** How long a claim lasts. An attempt starts only in its first two thirds; the rest is for the attempt and its storage. */
  readonly leaseMs: number;
  readonly readTargets: ReadTargets;
  readonly random: () => number;
  readonly log: SubscriptionLog;
  readonly onAttempt: (record: AttemptRecord) => void;
  /** Called with deliveries that are not sent because their endpoint has changed. */
  readonly onUnsent: (deliveries: readonly ClaimedDelivery[]) => void;
  /** Called when an endpoint has capacity for more deliveries. */
  readonly onCapacity: () => void;
}

/** Sends claimed deliveries, as many concurrently as the scheduler allows. */
export class AttemptRunner {
  private readonly scheduler: EndpointScheduler;
  private readonly inFlight: SlowAttemptDetector;
  private readonly targets: EndpointTargetCache;
  private readonly suspended: SuspendedEndpoints;
  /** Slots whose target must be read again first. */
  private stale: AttemptSlot[] = [];
  private isRefreshing = false;
  private aborting = new AbortController();
  private onIdle: () => void = () => undefined;

  constructor(private readonly options: AttemptRunnerOptions) {
    this.scheduler = new EndpointScheduler(options);
    this.inFlight = new SlowAttemptDetector(options.slowMs, () => this.startAttempts());
    this.targets = new EndpointTargetCache(options.freshMs, options.readTargets);
    this.suspended = new SuspendedEndpoints(options.readTargets);
  }

  /** Whether any endpoint responded with 410 Gone and is not known to be disabled. */
  get hasSuspended(): boolean {
    return !this.suspended.isEmpty;
  }

  isSuspended(endpointId: string): boolean {
    return this.suspended.has(endpointId);
  }

  capacityOf(endpointId: string): number {
    return this.scheduler.capacityOf(endpointId);
  }

  /** Adds deliveries that were requested at the given `performance.now()`. */
  add(deliveries: readonly ClaimedDelivery[], requestedAt: number): void {
    this.targets.store(deliveries, requestedAt);
    for (const delivery of deliveries) if (!this.suspended.retain(delivery)) this.scheduler.add(delivery);
    this.startAttempts();
  }

  /** Releases the deliveries of suspended endpoints that have changed since, for example by being disabled. */
  async releaseChanged(): Promise<void> {
    const unsent = await this.suspended.takeChanged(this.options.clock.now());
    if (unsent.length > 0) this.options.onUnsent(unsent);
  }

  async waitUntilIdle(): Promise<void> {
    while (!this.scheduler.isIdle) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Removes and returns all deliveries that wait for an attempt. */
  takeWaiting(): ClaimedDelivery[] {
    return [...this.scheduler.clear(), ...this.suspended.clear()];
  }

  /** Waits for attempts in flight up to `graceMs`, then aborts the others and returns their deliveries. */
  async finish(graceMs: number): Promise<ClaimedDelivery[]> {
    let aborted: ClaimedDelivery[] = [];
    const timer = setTimeout(() => {
      aborted = this.inFlight.deliveries();
      this.aborting.abort();
    }, graceMs);
    await this.waitUntilIdle();
    clearTimeout(timer);
    this.aborting = new AbortController();
    return aborted;
  }

  private startAttempts(): void {
    const now = this.options.clock.now();
    for (let slot = this.scheduler.acquire(); slot; slot = this.scheduler.acquire()) {
      const target = this.targets.get(slot.delivery.endpointId);
      if (target) this.start(slot, target, now);
      else this.stale.push(slot);
    }
    if (this.stale.length > 0 && !this.isRefreshing) void this.startStale();
    if (this.scheduler.isIdle) this.onIdle();
  }

  /** Reads targets again and starts their attempts, or releases what must not be sent. Does not reject. */
  private async startStale(): Promise<void> {
    this.isRefreshing = true;
    while (this.stale.length > 0) {
      const slots = this.stale.splice(0);
      const targets = await this.refresh(slots);
      const now = this.options.clock.now();
      const unsent: ClaimedDelivery[] = [];
      for (const slot of slots) {
        const target = targets.get(slot.delivery.endpointId);
        if (target && !this.aborting.signal.aborted) this.start(slot, target, now);
        else unsent.push(...this.drop(slot));
      }
      if (unsent.length > 0) this.options.onUnsent(unsent);
    }
    this.isRefreshing = false;
    this.startAttempts();
  }

  private async refresh(slots: readonly AttemptSlot[]): Promise<ReadonlyMap<string, EndpointTarget>> {
    try {
      return await this.targets.refresh(slots.map(({ delivery }) => delivery.endpointId));
    } catch (error) {
      this.options.log.warn({ err: error }, 'Cannot read webhook endpoints; releasing their deliveries');
      return new Map();
    }
  }

  private drop(slot: AttemptSlot): ClaimedDelivery[] {
    const dropped = [slot.delivery, ...this.scheduler.drop(slot.delivery.endpointId)];
    slot.release();
    return dropped;
  }

  private start(slot: AttemptSlot, target: EndpointTarget, now: Date): void {
    // A delivery that waited too long is skipped: its claim expires, and a replica claims it again.
    const isTooLate = this.latestStartMs(slot.delivery) < now.getTime();
    if (isTooLate || this.suspended.retain(slot.delivery)) slot.release();
    else void this.attempt(slot, target, now);
  }

  /** Does not reject. */
  private async attempt(slot: AttemptSlot, target: EndpointTarget, now: Date): Promise<void> {
    const { sender, onAttempt, onCapacity } = this.options;
    const { delivery } = slot;
    const { signal } = this.aborting;
    this.inFlight.add(slot);
    let result: SendResult;
    try {
      result = await sender.send(signedRequest(delivery, target, now), signal);
    } catch {
      // A sender must not reject. If one does, the process continues and the delivery is retried.
      result = { outcome: 'unreachable', durationMs: 0, error: 'the request could not be made' };
    }
    this.inFlight.delete(slot);
    const acknowledged = result.outcome === 'acknowledged';
    // An attempt that this process aborted says nothing about the endpoint.
    if (acknowledged || !signal.aborted) onAttempt(this.recordOf(delivery, result));
    if (result.statusCode === goneStatus) this.suspend(delivery, target);
    slot.release(acknowledged);
    this.startAttempts();
    if (this.scheduler.capacityOf(delivery.endpointId) > 0) onCapacity();
  }

  /** The endpoint is being disabled: its waiting deliveries would get the same response. */
  private suspend(delivery: ClaimedDelivery, { revision }: EndpointTarget): void {
    this.suspended.add(delivery.endpointId, revision, new Date(this.latestStartMs(delivery)));
    for (const waiting of this.scheduler.drop(delivery.endpointId)) this.suspended.retain(waiting);
  }

  private recordOf(delivery: ClaimedDelivery, result: SendResult): AttemptRecord {
    const at = this.options.clock.now();
    if (result.outcome === 'acknowledged') return { delivery, result, at, status: 'delivered' };
    const next = nextAttemptAt(delivery.attempts + 1, at, this.options.random(), result.retryAfterMs);
    return next
      ? { delivery, result, at, status: 'pending', nextAttemptAt: next }
      : { delivery, result, at, status: 'failed' };
  }

  private latestStartMs({ claimedUntil }: ClaimedDelivery): number {
    return claimedUntil.getTime() - this.options.leaseMs / 3;
  }
}
