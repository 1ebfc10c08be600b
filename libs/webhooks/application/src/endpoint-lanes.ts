import type { ClaimedDelivery } from './delivery-queue.port';

export interface LaneLimits {
  /** How many attempts may be under way at once at endpoints that answer. */
  readonly slots: number;
  /** How many may be under way at one endpoint. */
  readonly perEndpoint: number;
}

/** One attempt. `end` has to be called once, with whether it was answered well, or with nothing where it was not made. */
export interface Turn {
  readonly delivery: ClaimedDelivery;
  takesLong(): void;
  end(answered?: boolean): void;
}

type Kind = 'healthy' | 'struggling';

/** What waits and what is under way at one endpoint. */
class Lane {
  kind: Kind = 'healthy';
  readonly waiting: ClaimedDelivery[] = [];
  underWay = 0;
  /** How many may be under way: it doubles with each success, and is one after a failure. */
  width = 1;
}

/**
 * Decides whose turn it is. Endpoints take turns, each within its own width. An endpoint that fails or keeps us waiting
 * gets its slots from a small supply that is shared by all of its kind, so that those that answer always find one free:
 * however many endpoints hang, each can keep a good slot only for the moment in which it is found out.
 */
export class EndpointLanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly ready = { healthy: new Set<Lane>(), struggling: new Set<Lane>() };
  private readonly used = { healthy: 0, struggling: 0 };
  private readonly slots: Readonly<Record<Kind, number>>;
  /** How many deliveries of one endpoint are kept at hand. */
  private readonly ahead: Readonly<Record<Kind, number>>;
  private waiting = 0;

  constructor(private readonly limits: LaneLimits) {
    this.slots = { healthy: limits.slots, struggling: Math.ceil(limits.slots / 4) };
    this.ahead = { healthy: limits.perEndpoint * 16, struggling: 2 };
  }

  get isIdle(): boolean {
    return this.waiting + this.used.healthy + this.used.struggling === 0;
  }

  /** How many more deliveries of the endpoint are wanted; none until it is worth asking for them. */
  roomOf(endpointId: string): number {
    const lane = this.lanes.get(endpointId);
    if (!lane) return this.ahead.healthy;
    const ahead = this.ahead[lane.kind];
    const room = ahead - lane.waiting.length - lane.underWay;
    return room >= ahead / 2 ? room : 0;
  }

  add(delivery: ClaimedDelivery): void {
    let lane = this.lanes.get(delivery.endpointId);
    if (!lane) this.lanes.set(delivery.endpointId, (lane = new Lane()));
    lane.waiting.push(delivery);
    this.waiting += 1;
    this.line(lane);
  }

  /** The delivery whose turn it is, if there is a slot for it. */
  take(): Turn | undefined {
    return this.takeFrom('healthy') ?? this.takeFrom('struggling');
  }

  /** Everything that waits, which then does not wait any more. */
  clear(): ClaimedDelivery[] {
    this.ready.healthy.clear();
    this.ready.struggling.clear();
    this.waiting = 0;
    return [...this.lanes.values()].flatMap((lane) => lane.waiting.splice(0));
  }

  /** What waits at one endpoint, which then does not wait any more. */
  drop(endpointId: string): ClaimedDelivery[] {
    const lane = this.lanes.get(endpointId);
    if (!lane) return [];
    this.ready[lane.kind].delete(lane);
    this.waiting -= lane.waiting.length;
    return lane.waiting.splice(0);
  }

  private takeFrom(kind: Kind): Turn | undefined {
    if (this.used[kind] >= this.slots[kind]) return undefined;
    for (const lane of this.ready[kind]) {
      this.ready[kind].delete(lane);
      this.waiting -= 1;
      this.used[kind] += 1;
      lane.underWay += 1;
      const delivery = lane.waiting.shift()!;
      this.line(lane);
      return this.turnOf(lane, delivery);
    }
    return undefined;
  }

  private turnOf(lane: Lane, delivery: ClaimedDelivery): Turn {
    let slot = lane.kind;
    return {
      delivery,
      takesLong: () => {
        this.used[slot] -= 1;
        slot = 'struggling';
        this.used[slot] += 1;
        this.judge(lane, false);
      },
      end: (answered) => {
        this.used[slot] -= 1;
        lane.underWay -= 1;
        if (answered !== undefined) this.judge(lane, answered);
        this.line(lane);
        const isForgettable = lane.kind === 'healthy' && lane.underWay === 0 && lane.waiting.length === 0;
        if (isForgettable) this.lanes.delete(delivery.endpointId);
      },
    };
  }

  private judge(lane: Lane, answered: boolean): void {
    lane.width = answered ? Math.min(lane.width * 2, this.limits.perEndpoint) : 1;
    const kind = answered ? 'healthy' : 'struggling';
    if (lane.kind === kind) return;
    this.ready[lane.kind].delete(lane);
    lane.kind = kind;
    this.line(lane);
  }

  /** Puts it at the end of the line, where it is not in it already. */
  private line(lane: Lane): void {
    if (lane.waiting.length > 0 && lane.underWay < lane.width) this.ready[lane.kind].add(lane);
  }
}
