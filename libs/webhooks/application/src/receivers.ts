import type { ClaimedDelivery, Receiver } from './delivery-queue.port';

export type ReadReceivers = (endpointIds: readonly string[]) => Promise<ReadonlyMap<string, Receiver>>;

interface Known {
  readonly receiver: Receiver;
  /** When it was asked for, which may be a while before it was read. */
  readonly askedAt: number;
  wasUsed: boolean;
}

/**
 * Where endpoints are sent to, known for a moment only: deliveries can wait for their turn for much longer, and an endpoint
 * that was changed, disabled or deleted meanwhile must not get them as they were claimed. Nobody has to tell of a change,
 * so nothing of it can get lost.
 */
export class Receivers {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly freshMs: number,
    private readonly read: ReadReceivers,
  ) {}

  /** What was read together with deliveries that were asked for at a time. */
  note(deliveries: readonly ClaimedDelivery[], askedAt: number): void {
    for (const [id, known] of this.known) if (!this.isFresh(known)) this.known.delete(id);
    for (const { endpointId, url, secrets, revision } of deliveries) {
      if (this.isNews(endpointId, askedAt)) this.set(endpointId, { url, secrets, revision }, askedAt);
    }
  }

  /** Nothing where it has to be read again. */
  get(endpointId: string): Receiver | undefined {
    const known = this.known.get(endpointId);
    if (!known || !this.isFresh(known)) return undefined;
    known.wasUsed = true;
    return known.receiver;
  }

  /** Also reads those that were sent to since they were read: they are likely to be next, and so one statement does for all. */
  async readAgain(endpointIds: readonly string[]): Promise<ReadonlyMap<string, Receiver>> {
    const used = [...this.known].filter(([, { wasUsed }]) => wasUsed).map(([id]) => id);
    const ids = [...new Set([...endpointIds, ...used])];
    const askedAt = performance.now();
    const receivers = await this.read(ids);
    for (const id of ids) {
      const receiver = receivers.get(id);
      if (!receiver) this.known.delete(id);
      else if (this.isNews(id, askedAt)) this.set(id, receiver, askedAt);
    }
    return receivers;
  }

  private set(endpointId: string, receiver: Receiver, askedAt: number): void {
    this.known.set(endpointId, { receiver, askedAt, wasUsed: false });
  }

  private isNews(endpointId: string, askedAt: number): boolean {
    const known = this.known.get(endpointId);
    return !known || known.askedAt < askedAt;
  }

  private isFresh({ askedAt }: Known): boolean {
    return performance.now() - askedAt < this.freshMs;
  }
}
