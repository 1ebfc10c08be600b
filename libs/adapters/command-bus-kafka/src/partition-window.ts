import { setMaxListeners } from 'node:events';

/** The unfinished offsets of one partition, and therefore the offset that may be committed. */
export class PartitionWindow {
  isPaused = false;
  private readonly unfinished = new Set<number>();
  private next: number | undefined;
  private committed: number | undefined;
  private delivery = newDelivery();

  get size(): number {
    return this.unfinished.size;
  }

  /** Aborts when the message is redelivered, here or elsewhere. This delivery must then stop retrying. */
  get signal(): AbortSignal {
    return this.delivery.signal;
  }

  add(offset: number): void {
    this.unfinished.add(offset);
    this.next = Math.max(this.next ?? 0, offset + 1);
  }

  finish(offset: number): void {
    this.unfinished.delete(offset);
  }

  /** Everything below this offset is finished. Undefined when it is already committed. */
  offsetToCommit(): number | undefined {
    if (this.next === undefined) return undefined;
    // Not simply the first one: after a rebalance, older messages arrive again after newer ones.
    let low = this.next;
    for (const offset of this.unfinished) low = Math.min(low, offset);
    return low === this.committed ? undefined : low;
  }

  markCommitted(offset: number): void {
    this.committed = offset;
  }

  /**
   * The group was joined again and this partition stayed here, so every uncommitted message is redelivered. Unfinished
   * messages stay unfinished, because their handlers may still be running.
   */
  redeliver(): void {
    this.abandon();
    this.delivery = newDelivery();
    this.committed = undefined;
    this.isPaused = false;
  }

  abandon(): void {
    this.delivery.abort();
  }
}

function newDelivery(): AbortController {
  const delivery = new AbortController();
  // Every message that waits for a retry adds a listener.
  setMaxListeners(0, delivery.signal);
  return delivery;
}
