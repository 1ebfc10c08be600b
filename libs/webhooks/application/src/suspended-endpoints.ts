import type { ClaimedDelivery } from './delivery-queue.port';
import type { ReadTargets } from './endpoint-target-cache';

interface Suspension {
  /** The revision of the endpoint that responded with 410. */
  readonly revision: number;
  readonly until: Date;
  readonly deliveries: ClaimedDelivery[];
}

/**
 * Endpoints that responded with 410 Gone and are being disabled. Their deliveries are retained until the endpoint has
 * changed, because another replica would send them. If the command is lost, they are retained until the claim nears its end.
 */
export class SuspendedEndpoints {
  private readonly suspensions = new Map<string, Suspension>();

  constructor(private readonly read: ReadTargets) {}

  get isEmpty(): boolean {
    return this.suspensions.size === 0;
  }

  has(endpointId: string): boolean {
    return this.suspensions.has(endpointId);
  }

  add(endpointId: string, revision: number, until: Date): void {
    if (!this.suspensions.has(endpointId)) this.suspensions.set(endpointId, { revision, until, deliveries: [] });
  }

  /** Retains the delivery and returns true if its endpoint is suspended. */
  retain(delivery: ClaimedDelivery): boolean {
    const suspension = this.suspensions.get(delivery.endpointId);
    suspension?.deliveries.push(delivery);
    return suspension !== undefined;
  }

  /** Ends the suspension of endpoints that have changed and returns their deliveries. */
  async takeChanged(now: Date): Promise<ClaimedDelivery[]> {
    if (this.isEmpty) return [];
    const targets = await this.read([...this.suspensions.keys()]);
    const changed = [...this.suspensions].filter(
      ([id, { revision, until }]) => targets.get(id)?.revision !== revision || until <= now,
    );
    for (const [id] of changed) this.suspensions.delete(id);
    return changed.flatMap(([, { deliveries }]) => deliveries);
  }

  /** Ends all suspensions and returns their deliveries. */
  clear(): ClaimedDelivery[] {
    const retained = [...this.suspensions.values()].flatMap(({ deliveries }) => deliveries);
    this.suspensions.clear();
    return retained;
  }
}
