import { setMaxListeners } from 'node:events';

/** What is under way of one partition: which offsets are not finished, and so up to where it may be committed. */
export class PartitionWindow {
  isPaused = false;
  private readonly unfinished = new Set<number>();
  private next: number | undefined;
  private committed: number | undefined;
  private delivery = newDelivery();

  get size(): number {
    return this.unfinished.size;
  }

  /** Aborts when what was delivered is delivered anew, here or elsewhere: repeating it is then somebody else's business. */
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

  /** Everything below it is finished. Nothing to say when that has been committed already. */
  offsetToCommit(): number | undefined {
    if (this.next === undefined) return undefined;
    // Not simply the first one: after a rebalance, older messages come again behind younger ones.
    let low = this.next;
    for (const offset of this.unfinished) low = Math.min(low, offset);
    return low === this.committed ? undefined : low;
  }

  markCommitted(offset: number): void {
    this.committed = offset;
  }

  /**
   * The group was joined anew and this partition stayed here: everything not committed comes once more. What is unfinished
   * stays so, because its handlers may still be at it.
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
  // Every message that waits to be repeated listens.
  setMaxListeners(0, delivery.signal);
  return delivery;
}
