/** Beyond this limit an operation is not queued in memory; the watchdog finds it later. */
const maxWaiting = 10_000;

/** A bounded number of slots for issuer calls, and a queue of items that wait for one, at most once per id. */
export class IssuerCallSlots<Item> {
  private readonly waiting = new Map<string, Item>();

  constructor(private free: number) {}

  /** Takes a free slot, or queues the item. */
  acquire(id: string, item: Item): boolean {
    if (this.tryAcquire()) return true;
    if (this.waiting.size < maxWaiting) this.waiting.set(id, item);
    return false;
  }

  tryAcquire(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  /** Passes the slot to the item that has waited longest, which is returned, or frees it. */
  release(): Item | undefined {
    for (const [id, item] of this.waiting) {
      this.waiting.delete(id);
      return item;
    }
    this.free += 1;
    return undefined;
  }

  clear(): void {
    this.waiting.clear();
  }
}
