import type { ClaimedDelivery, ClaimWish } from '@florin/webhooks-application';

/** After so many deliveries a claim is given back, so that replicas share endpoints that always have something due. */
const mostPerClaim = 10_000;
const firstPlace: Place = { dueAtMs: 0, id: '00000000-0000-0000-0000-000000000000' };

/** Of a delivery in the queue of its endpoint. */
export interface Place {
  readonly dueAtMs: number;
  readonly id: string;
}

/** An endpoint that this replica has claimed. */
export interface Holding {
  readonly endpointId: string;
  readonly claim: string;
  readonly until: Date;
  /** No more is taken after that, since it might not be sent before the claim ends. */
  readonly takesUntil: Date;
  most: number;
  /** Of how far its queue was read. Whatever is put before it meanwhile is seen by the next claim. */
  after: Place;
  /** What was taken and is not settled. */
  readonly inHand: Set<string>;
  taken: number;
  /** Whether more may wait than was taken: behind the last place, or before it, where only the next claim looks. */
  mayHaveMore: boolean;
}

/** What this replica has claimed. An endpoint is given back when nothing of it is in hand. */
export class EndpointHoldings {
  private readonly held = new Map<string, Holding>();

  get(endpointId: string): Holding | undefined {
    return this.held.get(endpointId);
  }

  /** Its bounds vary, lest endpoints that were claimed together are all given back together, and nothing is left to send. */
  add(endpointId: string, claim: string, { now, until }: ClaimWish): void {
    const part = 0.5 + Math.random() / 2;
    const takesUntil = new Date(now.getTime() + ((until.getTime() - now.getTime()) / 2) * part);
    const bounds = { until, takesUntil, most: Math.ceil(mostPerClaim * part) };
    const nothing = { after: firstPlace, inHand: new Set<string>(), taken: 0, mayHaveMore: false };
    this.held.set(endpointId, { endpointId, claim, ...bounds, ...nothing });
  }

  /** How many more can be taken of an endpoint that is held. */
  roomIn({ takesUntil, most, taken }: Holding, now: Date): number {
    return now <= takesUntil ? most - taken : 0;
  }

  /** Notes what was read of its queue, in the order of the queue, where so many were asked for. */
  take(holding: Holding, places: readonly Place[], asked: number): void {
    for (const { id } of places) holding.inHand.add(id);
    holding.taken += places.length;
    holding.mayHaveMore ||= places.length === asked;
    for (const place of places) if (isBehind(place, holding.after)) holding.after = place;
  }

  putDown(deliveries: readonly ClaimedDelivery[]): void {
    for (const { endpointId, claim, id } of deliveries) {
      const holding = this.held.get(endpointId);
      if (holding?.claim === claim) holding.inHand.delete(id);
    }
  }

  /** What is given back stands where this claim does not look any more. So it takes no more, and soon is given back, too. */
  giveBack(deliveries: readonly ClaimedDelivery[]): void {
    for (const { endpointId, claim } of deliveries) {
      const holding = this.held.get(endpointId);
      if (holding?.claim !== claim) continue;
      holding.most = holding.taken;
      holding.mayHaveMore = true;
    }
    this.putDown(deliveries);
  }

  idle(): readonly Holding[] {
    return [...this.held.values()].filter(({ inHand }) => inHand.size === 0);
  }

  forget(endpointIds: readonly string[]): void {
    for (const id of endpointIds) this.held.delete(id);
  }

  /** Others may have claimed them. */
  forgetPast(now: Date): void {
    for (const { endpointId, until } of this.held.values()) if (until <= now) this.held.delete(endpointId);
  }
}

/** Ids have the order of their lowercase text also in Postgres. */
function isBehind(place: Place, other: Place): boolean {
  const later = place.dueAtMs - other.dueAtMs;
  return later > 0 || (later === 0 && place.id > other.id);
}
