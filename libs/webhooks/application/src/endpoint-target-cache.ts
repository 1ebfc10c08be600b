import type { ClaimedDelivery, EndpointTarget } from './delivery-queue.port';

export type ReadTargets = (endpointIds: readonly string[]) => Promise<ReadonlyMap<string, EndpointTarget>>;

interface CachedTarget {
  readonly target: EndpointTarget;
  /** `performance.now()` before the read. */
  readonly requestedAt: number;
  wasUsed: boolean;
}

/**
 * Caches targets for a short time only. Deliveries can wait much longer for an attempt, and an endpoint that was changed,
 * disabled or deleted since the claim must not receive them as they were claimed.
 */
export class EndpointTargetCache {
  private readonly cache = new Map<string, CachedTarget>();

  constructor(
    private readonly maxAgeMs: number,
    private readonly read: ReadTargets,
  ) {}

  /** Stores the targets that were read together with deliveries. */
  store(deliveries: readonly ClaimedDelivery[], requestedAt: number): void {
    for (const [id, cached] of this.cache) if (this.isStale(cached)) this.cache.delete(id);
    for (const { endpointId, url, secrets, revision } of deliveries) {
      this.set(endpointId, { url, secrets, revision }, requestedAt);
    }
  }

  /** Undefined when the target must be read again. */
  get(endpointId: string): EndpointTarget | undefined {
    const cached = this.cache.get(endpointId);
    if (!cached || this.isStale(cached)) return undefined;
    cached.wasUsed = true;
    return cached.target;
  }

  /** Also refreshes all targets used since their last read: they are likely to be used next, and one statement reads all. */
  async refresh(endpointIds: readonly string[]): Promise<ReadonlyMap<string, EndpointTarget>> {
    const used = [...this.cache].filter(([, { wasUsed }]) => wasUsed).map(([id]) => id);
    const ids = [...new Set([...endpointIds, ...used])];
    const requestedAt = performance.now();
    const targets = await this.read(ids);
    for (const id of ids) {
      const target = targets.get(id);
      if (target) this.set(id, target, requestedAt);
      else this.cache.delete(id);
    }
    return targets;
  }

  /** Keeps the target of the later read. */
  private set(endpointId: string, target: EndpointTarget, requestedAt: number): void {
    const cached = this.cache.get(endpointId);
    if (!cached || cached.requestedAt < requestedAt) {
      this.cache.set(endpointId, { target, requestedAt, wasUsed: false });
    }
  }

  private isStale({ requestedAt }: CachedTarget): boolean {
    return performance.now() - requestedAt >= this.maxAgeMs;
  }
}
