import type { ClaimedDelivery } from './delivery-queue.port';

export interface SchedulerLimits {
  /** The number of concurrent attempts at healthy endpoints. */
  readonly slots: number;
  /** The number of concurrent attempts at one endpoint. */
  readonly perEndpoint: number;
}

/** The slot of one attempt. */
export interface AttemptSlot {
  readonly delivery: ClaimedDelivery;
  /** Moves the attempt out of the slots of healthy endpoints. */
  markSlow(): void;
  /** Must be called once, with whether the attempt was acknowledged, or without a value if it was not made. */
  release(acknowledged?: boolean): void;
}

type Health = 'healthy' | 'struggling';

/**
 * How many struggling endpoints without deliveries in memory are remembered, so that their next attempt takes no slot of
 * healthy ones. A forgotten one is found to struggle again by its next attempt.
 */
const maxRemembered = 2_000;

class EndpointQueue {
  health: Health = 'healthy';
  readonly waiting: ClaimedDelivery[] = [];
  inFlight = 0;
  /** The concurrency limit: doubled by each success, reset to one by a failure. */
  concurrency = 1;
}

/**
 * Assigns attempt slots to endpoints in round-robin order, within the concurrency limit of each endpoint. Endpoints that
 * fail or respond slowly share a small separate set of slots, so that hanging endpoints cannot exhaust the slots of
 * healthy ones: each occupies a healthy slot only until it is found to be slow.
 */
export class EndpointScheduler {
  private readonly queues = new Map<string, EndpointQueue>();
  /** The struggling endpoints without deliveries in memory, the longest unused first. */
  private readonly remembered = new Set<string>();
  private readonly ready = { healthy: new Set<EndpointQueue>(), struggling: new Set<EndpointQueue>() };
  private readonly used = { healthy: 0, struggling: 0 };
  private readonly slots: Readonly<Record<Health, number>>;
  /** The number of deliveries of one endpoint kept in memory. */
  private readonly buffered: Readonly<Record<Health, number>>;
  private waiting = 0;

  constructor(private readonly limits: SchedulerLimits) {
    this.slots = { healthy: limits.slots, struggling: Math.ceil(limits.slots / 4) };
    this.buffered = { healthy: limits.perEndpoint * 16, struggling: 2 };
  }

  /** The number of endpoints in memory. */
  get size(): number {
    return this.queues.size;
  }

  get isIdle(): boolean {
    return this.waiting + this.used.healthy + this.used.struggling === 0;
  }

  /** The number of deliveries to claim for the endpoint; zero until half of the buffer is free. */
  capacityOf(endpointId: string): number {
    const queue = this.queues.get(endpointId);
    if (!queue) return this.buffered.healthy;
    const limit = this.buffered[queue.health];
    const capacity = limit - queue.waiting.length - queue.inFlight;
    return capacity >= limit / 2 ? capacity : 0;
  }

  add(delivery: ClaimedDelivery): void {
    let queue = this.queues.get(delivery.endpointId);
    if (!queue) this.queues.set(delivery.endpointId, (queue = new EndpointQueue()));
    this.remembered.delete(delivery.endpointId);
    queue.waiting.push(delivery);
    this.waiting += 1;
    this.markReady(queue);
  }

  /** The slot of the next delivery, if one is free. */
  acquire(): AttemptSlot | undefined {
    return this.acquireFrom('healthy') ?? this.acquireFrom('struggling');
  }

  /** Removes and returns all waiting deliveries. */
  clear(): ClaimedDelivery[] {
    this.ready.healthy.clear();
    this.ready.struggling.clear();
    this.waiting = 0;
    return [...this.queues.values()].flatMap((queue) => queue.waiting.splice(0));
  }

  /** Removes and returns the waiting deliveries of one endpoint. */
  drop(endpointId: string): ClaimedDelivery[] {
    const queue = this.queues.get(endpointId);
    if (!queue) return [];
    this.ready[queue.health].delete(queue);
    this.waiting -= queue.waiting.length;
    return queue.waiting.splice(0);
  }

  private acquireFrom(health: Health): AttemptSlot | undefined {
    if (this.used[health] >= this.slots[health]) return undefined;
    for (const queue of this.ready[health]) {
      this.ready[health].delete(queue);
      this.waiting -= 1;
      this.used[health] += 1;
      queue.inFlight += 1;
      const delivery = queue.waiting.shift()!;
      this.markReady(queue);
      return this.slotOf(queue, delivery);
    }
    return undefined;
  }

  private slotOf(queue: EndpointQueue, delivery: ClaimedDelivery): AttemptSlot {
    let slot = queue.health;
    return {
      delivery,
      markSlow: () => {
        this.used[slot] -= 1;
        slot = 'struggling';
        this.used[slot] += 1;
        this.updateHealth(queue, false);
      },
      release: (acknowledged) => {
        this.used[slot] -= 1;
        queue.inFlight -= 1;
        if (acknowledged !== undefined) this.updateHealth(queue, acknowledged);
        this.markReady(queue);
        if (queue.inFlight === 0 && queue.waiting.length === 0) this.forget(delivery.endpointId, queue.health);
      },
    };
  }

  /** Forgets an unused endpoint, unless it is among the last ones that struggled. */
  private forget(endpointId: string, health: Health): void {
    if (health === 'healthy') {
      this.queues.delete(endpointId);
      return;
    }
    this.remembered.add(endpointId);
    if (this.remembered.size <= maxRemembered) return;
    const [oldest] = this.remembered as Iterable<string> as [string];
    this.remembered.delete(oldest);
    this.queues.delete(oldest);
  }

  private updateHealth(queue: EndpointQueue, acknowledged: boolean): void {
    queue.concurrency = acknowledged ? Math.min(queue.concurrency * 2, this.limits.perEndpoint) : 1;
    const health = acknowledged ? 'healthy' : 'struggling';
    if (queue.health === health) return;
    this.ready[queue.health].delete(queue);
    queue.health = health;
    this.markReady(queue);
  }

  /** Appends the queue to the round-robin order, unless it is in it. */
  private markReady(queue: EndpointQueue): void {
    if (queue.waiting.length > 0 && queue.inFlight < queue.concurrency) this.ready[queue.health].add(queue);
  }
}
