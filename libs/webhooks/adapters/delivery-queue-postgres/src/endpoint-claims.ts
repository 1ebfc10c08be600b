import type { ClaimedDelivery, ClaimRequest } from '@florin/webhooks-application';

/** The claim is released after this many deliveries, so that replicas share endpoints that always have due deliveries. */
const maxPerClaim = 10_000;
const firstPosition: QueuePosition = { dueAtMs: 0, id: '00000000-0000-0000-0000-000000000000' };

/** The position of a delivery in the queue of its endpoint. */
export interface QueuePosition {
  readonly dueAtMs: number;
  readonly id: string;
}

/** A claim of this replica on an endpoint. */
export interface EndpointClaim {
  readonly endpointId: string;
  readonly claim: string;
  readonly until: Date;
  /** No deliveries are taken after that, because they might not be sent before the claim expires. */
  readonly takesUntil: Date;
  maxTaken: number;
  /** The last position read. Deliveries that are added before it are seen by the next claim. */
  after: QueuePosition;
  /** The deliveries that were taken and are not completed. */
  readonly inFlight: Set<string>;
  taken: number;
  /** Whether more deliveries may wait, behind the last position or before it, which only the next claim reads. */
  mayHaveMore: boolean;
}

/** The claims of this replica. A claim is released when none of its deliveries is in flight. */
export class EndpointClaims {
  private readonly claims = new Map<string, EndpointClaim>();

  get(endpointId: string): EndpointClaim | undefined {
    return this.claims.get(endpointId);
  }

  /** The limits vary, so that endpoints claimed together are not all released together, leaving nothing to send. */
  add(endpointId: string, claim: string, { now, until }: ClaimRequest): void {
    const fraction = 0.5 + Math.random() / 2;
    const takesUntil = new Date(now.getTime() + ((until.getTime() - now.getTime()) / 2) * fraction);
    const limits = { until, takesUntil, maxTaken: Math.ceil(maxPerClaim * fraction) };
    const empty = { after: firstPosition, inFlight: new Set<string>(), taken: 0, mayHaveMore: false };
    this.claims.set(endpointId, { endpointId, claim, ...limits, ...empty });
  }

  /** How many more deliveries the claim may take. */
  capacityLeft({ takesUntil, maxTaken, taken }: EndpointClaim, now: Date): number {
    return now <= takesUntil ? maxTaken - taken : 0;
  }

  /** Records the positions that were read with a limit, in the order of the queue. */
  take(claimed: EndpointClaim, positions: readonly QueuePosition[], limit: number): void {
    for (const { id } of positions) claimed.inFlight.add(id);
    claimed.taken += positions.length;
    claimed.mayHaveMore ||= positions.length === limit;
    for (const position of positions) if (isAfter(position, claimed.after)) claimed.after = position;
  }

  complete(deliveries: readonly ClaimedDelivery[]): void {
    for (const { endpointId, claim, id } of deliveries) {
      const claimed = this.claims.get(endpointId);
      if (claimed?.claim === claim) claimed.inFlight.delete(id);
    }
  }

  /** Released deliveries are before the position of this claim. So it takes no more and is released soon, too. */
  release(deliveries: readonly ClaimedDelivery[]): void {
    for (const { endpointId, claim } of deliveries) {
      const claimed = this.claims.get(endpointId);
      if (claimed?.claim !== claim) continue;
      claimed.maxTaken = claimed.taken;
      claimed.mayHaveMore = true;
    }
    this.complete(deliveries);
  }

  idle(): readonly EndpointClaim[] {
    return [...this.claims.values()].filter(({ inFlight }) => inFlight.size === 0);
  }

  forget(endpointIds: readonly string[]): void {
    for (const id of endpointIds) this.claims.delete(id);
  }

  /** Other replicas may have claimed these endpoints. */
  forgetExpired(now: Date): void {
    for (const { endpointId, until } of this.claims.values()) if (until <= now) this.claims.delete(endpointId);
  }
}

/** Postgres orders UUIDs like their lowercase text. */
function isAfter(position: QueuePosition, other: QueuePosition): boolean {
  const later = position.dueAtMs - other.dueAtMs;
  return later > 0 || (later === 0 && position.id > other.id);
}
