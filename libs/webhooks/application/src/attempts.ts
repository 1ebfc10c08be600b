import type { SubscriptionLog } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import type { ClaimedDelivery, Receiver, Settlement } from './delivery-queue.port';
import { gone } from './endpoint-disabler';
import { EndpointLanes, type LaneLimits, type Turn } from './endpoint-lanes';
import { GoneEndpoints } from './gone-endpoints';
import { type ReadReceivers, Receivers } from './receivers';
import { nextAttemptAt } from './retry-schedule';
import { signedRequest } from './signed-request';
import { SlowTurns } from './slow-turns';
import type { SendResult, WebhookSender } from './webhook-sender.port';

export interface AttemptsOptions extends LaneLimits {
  /** How long a claim lasts. An attempt begins only in its first two thirds; the rest is for the attempt and its storage. */
  readonly leaseMs: number;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** How long an attempt may take before its endpoint counts as slow. */
  readonly slowMs: number;
  /** How long ago an endpoint may have been read when an attempt at it begins. */
  readonly freshMs: number;
  readonly readReceivers: ReadReceivers;
  readonly random: () => number;
  readonly log: SubscriptionLog;
  readonly onSettled: (settlement: Settlement) => void;
  /** What will not be sent, because its endpoint is not to be sent to as it was. */
  readonly onUnsent: (deliveries: readonly ClaimedDelivery[]) => void;
  /** There is room again for deliveries of an endpoint. */
  readonly onRoom: () => void;
}

/** Makes attempts at the deliveries it is given, as many at once as the lanes allow. */
export class Attempts {
  private readonly lanes: EndpointLanes;
  private readonly underWay: SlowTurns;
  private readonly receivers: Receivers;
  private readonly gone: GoneEndpoints;
  /** Turns at endpoints that have to be read again first. */
  private unsure: Turn[] = [];
  private isAscertaining = false;
  private breakingOff = new AbortController();
  private onIdle: () => void = () => undefined;

  constructor(private readonly options: AttemptsOptions) {
    this.lanes = new EndpointLanes(options);
    this.underWay = new SlowTurns(options.slowMs, () => this.takeTurns());
    this.receivers = new Receivers(options.freshMs, options.readReceivers);
    this.gone = new GoneEndpoints(options.readReceivers);
  }

  /** Whether any endpoint has said that it is gone, and is not known to be disabled. */
  get hasGone(): boolean {
    return !this.gone.isEmpty;
  }

  isGone(endpointId: string): boolean {
    return this.gone.has(endpointId);
  }

  roomOf(endpointId: string): number {
    return this.lanes.roomOf(endpointId);
  }

  /** Takes deliveries that were asked for at a time, as `performance.now` tells it. */
  add(deliveries: readonly ClaimedDelivery[], askedAt: number): void {
    this.receivers.note(deliveries, askedAt);
    for (const delivery of deliveries) if (!this.gone.keep(delivery)) this.lanes.add(delivery);
    this.takeTurns();
  }

  /** Gives back what waits for endpoints that were gone and have been disabled, or whatever else was done to them. */
  async letGo(): Promise<void> {
    const unsent = await this.gone.letGo(this.options.clock.now());
    if (unsent.length > 0) this.options.onUnsent(unsent);
  }

  async untilIdle(): Promise<void> {
    while (!this.lanes.isIdle) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Everything that waits for its turn, and will not get it any more. */
  takeBack(): ClaimedDelivery[] {
    return [...this.lanes.clear(), ...this.gone.clear()];
  }

  /** Waits for the attempts under way, but not for longer than that; then breaks them off. Returns those. */
  async end(patienceMs: number): Promise<ClaimedDelivery[]> {
    let brokenOff: ClaimedDelivery[] = [];
    const timer = setTimeout(() => {
      brokenOff = this.underWay.deliveries();
      this.breakingOff.abort();
    }, patienceMs);
    await this.untilIdle();
    clearTimeout(timer);
    this.breakingOff = new AbortController();
    return brokenOff;
  }

  private takeTurns(): void {
    const now = this.options.clock.now();
    for (let turn = this.lanes.take(); turn; turn = this.lanes.take()) {
      const receiver = this.receivers.get(turn.delivery.endpointId);
      if (receiver) this.begin(turn, receiver, now);
      else this.unsure.push(turn);
    }
    if (this.unsure.length > 0 && !this.isAscertaining) void this.ascertain();
    if (this.lanes.isIdle) this.onIdle();
  }

  /** Reads endpoints again and begins their turns, or gives back what must not be sent. Does not reject. */
  private async ascertain(): Promise<void> {
    this.isAscertaining = true;
    while (this.unsure.length > 0) {
      const turns = this.unsure.splice(0);
      const receivers = await this.readAgain(turns);
      const now = this.options.clock.now();
      const unsent: ClaimedDelivery[] = [];
      for (const turn of turns) {
        const receiver = receivers.get(turn.delivery.endpointId);
        if (receiver && !this.breakingOff.signal.aborted) this.begin(turn, receiver, now);
        else unsent.push(...this.drop(turn));
      }
      if (unsent.length > 0) this.options.onUnsent(unsent);
    }
    this.isAscertaining = false;
    this.takeTurns();
  }

  private async readAgain(turns: readonly Turn[]): Promise<ReadonlyMap<string, Receiver>> {
    try {
      return await this.receivers.readAgain(turns.map(({ delivery }) => delivery.endpointId));
    } catch (error) {
      this.options.log.warn(
        { err: error },
        'Could not read webhook endpoints again; what waits for them is given back',
      );
      return new Map();
    }
  }

  private drop(turn: Turn): ClaimedDelivery[] {
    const dropped = [turn.delivery, ...this.lanes.drop(turn.delivery.endpointId)];
    turn.end();
    return dropped;
  }

  private begin(turn: Turn, receiver: Receiver, now: Date): void {
    // One that waited for too long is left: the claim runs out, and somebody takes it anew.
    if (this.lastMomentMs(turn.delivery) < now.getTime() || this.gone.keep(turn.delivery)) turn.end();
    else void this.attempt(turn, receiver, now);
  }

  /** Does not reject. */
  private async attempt(turn: Turn, receiver: Receiver, now: Date): Promise<void> {
    const { sender, onSettled, onRoom } = this.options;
    const { delivery } = turn;
    const { signal } = this.breakingOff;
    this.underWay.add(turn);
    let result: SendResult;
    try {
      result = await sender.send(signedRequest(delivery, receiver, now), signal);
    } catch {
      // Senders do not reject. One that did must not end the process, nor keep the delivery for ever.
      result = { outcome: 'unreachable', durationMs: 0, error: 'the request could not be made' };
    }
    this.underWay.delete(turn);
    const answered = result.outcome === 'acknowledged';
    // One that we broke off ourselves says nothing about the receiver.
    if (answered || !signal.aborted) onSettled(this.settlementOf(delivery, result));
    if (result.statusCode === gone) this.stopSending(delivery, receiver);
    turn.end(answered);
    this.takeTurns();
    if (this.lanes.roomOf(delivery.endpointId) > 0) onRoom();
  }

  /** It is being disabled. What waits would only be told the same. */
  private stopSending(delivery: ClaimedDelivery, { revision }: Receiver): void {
    this.gone.add(delivery.endpointId, revision, new Date(this.lastMomentMs(delivery)));
    for (const waiting of this.lanes.drop(delivery.endpointId)) this.gone.keep(waiting);
  }

  private settlementOf(delivery: ClaimedDelivery, result: SendResult): Settlement {
    const at = this.options.clock.now();
    if (result.outcome === 'acknowledged') return { delivery, result, at, status: 'delivered' };
    const next = nextAttemptAt(delivery.attempts + 1, at, this.options.random(), result.retryAfterMs);
    return next
      ? { delivery, result, at, status: 'pending', nextAttemptAt: next }
      : { delivery, result, at, status: 'failed' };
  }

  /** The latest time at which an attempt may begin. */
  private lastMomentMs({ claimedUntil }: ClaimedDelivery): number {
    return claimedUntil.getTime() - this.options.leaseMs / 3;
  }
}
