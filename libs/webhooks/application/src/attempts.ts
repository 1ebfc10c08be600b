import type { Clock } from '@florin/kernel';
import type { ClaimedDelivery, Settlement } from './delivery-queue.port';
import { EndpointLanes, type LaneLimits, type Turn } from './endpoint-lanes';
import { nextAttemptAt } from './retry-schedule';
import { signedRequest } from './signed-request';
import { SlowTurns } from './slow-turns';
import type { SendResult, WebhookSender } from './webhook-sender.port';

/** Nothing is sent when less than this is left of its claim: an attempt, and time to store how it went. */
const neededMs = 20_000;

export interface AttemptsOptions extends LaneLimits {
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** How long an attempt may take before its endpoint counts as slow. */
  readonly slowMs: number;
  readonly random: () => number;
  readonly onSettled: (settlement: Settlement) => void;
  /** There is room again for deliveries of an endpoint. */
  readonly onRoom: () => void;
}

/** Makes attempts at the deliveries it is given, as many at once as the lanes allow. */
export class Attempts {
  private readonly lanes: EndpointLanes;
  private readonly underWay: SlowTurns;
  private breakingOff = new AbortController();
  private onIdle: () => void = () => undefined;

  constructor(private readonly options: AttemptsOptions) {
    this.lanes = new EndpointLanes(options);
    this.underWay = new SlowTurns(options.slowMs, () => this.takeTurns());
  }

  roomOf(endpointId: string): number {
    return this.lanes.roomOf(endpointId);
  }

  add(deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) this.lanes.add(delivery);
    this.takeTurns();
  }

  async untilIdle(): Promise<void> {
    while (!this.lanes.isIdle) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Everything that waits for its turn, and will not get it any more. */
  takeBack(): ClaimedDelivery[] {
    return this.lanes.clear();
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
      // It waited for too long. The claim runs out, and somebody takes it anew.
      if (turn.delivery.claimedUntil.getTime() - now.getTime() < neededMs) turn.end();
      else void this.attempt(turn, now);
    }
    if (this.lanes.isIdle) this.onIdle();
  }

  /** Does not reject. */
  private async attempt(turn: Turn, now: Date): Promise<void> {
    const { sender, onSettled, onRoom } = this.options;
    const { delivery } = turn;
    const { signal } = this.breakingOff;
    this.underWay.add(turn);
    let result: SendResult;
    try {
      result = await sender.send(signedRequest(delivery, now), signal);
    } catch {
      // Senders do not reject. One that did must not end the process, nor keep the delivery for ever.
      result = { outcome: 'unreachable', durationMs: 0, error: 'the request could not be made' };
    }
    this.underWay.delete(turn);
    const answered = result.outcome === 'acknowledged';
    // One that we broke off ourselves says nothing about the receiver.
    if (answered || !signal.aborted) onSettled(this.settlementOf(delivery, result));
    turn.end(answered);
    this.takeTurns();
    if (this.lanes.roomOf(delivery.endpointId) > 0) onRoom();
  }

  private settlementOf(delivery: ClaimedDelivery, result: SendResult): Settlement {
    const at = this.options.clock.now();
    if (result.outcome === 'acknowledged') return { delivery, result, at, status: 'delivered' };
    const next = nextAttemptAt(delivery.attempts + 1, at, this.options.random(), result.retryAfterMs);
    return next
      ? { delivery, result, at, status: 'pending', nextAttemptAt: next }
      : { delivery, result, at, status: 'failed' };
  }
}
