import type { ClaimedDelivery } from './delivery-queue.port';
import type { ReadReceivers } from './receivers';

interface Gone {
  /** Of the endpoint that has said so. */
  readonly revision: number;
  readonly until: Date;
  readonly deliveries: ClaimedDelivery[];
}

/**
 * Endpoints that have said that they are gone, and are being disabled. What waits for one is kept until the endpoint has
 * changed, since whoever got it sooner would send it. Where the command got lost, it is kept until the claim nears its end.
 */
export class GoneEndpoints {
  private readonly gone = new Map<string, Gone>();

  constructor(private readonly read: ReadReceivers) {}

  get isEmpty(): boolean {
    return this.gone.size === 0;
  }

  has(endpointId: string): boolean {
    return this.gone.has(endpointId);
  }

  add(endpointId: string, revision: number, until: Date): void {
    if (!this.gone.has(endpointId)) this.gone.set(endpointId, { revision, until, deliveries: [] });
  }

  /** Tells whether it did, which it does only where the endpoint is gone. */
  keep(delivery: ClaimedDelivery): boolean {
    const gone = this.gone.get(delivery.endpointId);
    gone?.deliveries.push(delivery);
    return gone !== undefined;
  }

  /** What need not be kept any longer. */
  async letGo(now: Date): Promise<ClaimedDelivery[]> {
    if (this.isEmpty) return [];
    const receivers = await this.read([...this.gone.keys()]);
    const changed = [...this.gone].filter(
      ([id, { revision, until }]) => receivers.get(id)?.revision !== revision || until <= now,
    );
    for (const [id] of changed) this.gone.delete(id);
    return changed.flatMap(([, { deliveries }]) => deliveries);
  }

  clear(): ClaimedDelivery[] {
    const kept = [...this.gone.values()].flatMap(({ deliveries }) => deliveries);
    this.gone.clear();
    return kept;
  }
}
