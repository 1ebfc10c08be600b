/** How many may wait in memory. Whoever finds no place is found again by the watchdog. */
const mostWaiting = 10_000;

/** A bounded number of slots, and whoever waits for one, each under an id and once at most. */
export class CallLane<Item> {
  private readonly waiting = new Map<string, Item>();

  constructor(private free: number) {}

  /** Takes a slot at once, or has the item wait for one. */
  take(id: string, item: Item): boolean {
    if (this.takeFree()) return true;
    if (this.waiting.size < mostWaiting) this.waiting.set(id, item);
    return false;
  }

  /** Takes a slot at once, if there is one. */
  takeFree(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  /** Hands a slot on to the one who has waited longest, or keeps it for whoever comes next. */
  handOn(): Item | undefined {
    for (const [id, item] of this.waiting) {
      this.waiting.delete(id);
      return item;
    }
    this.free += 1;
    return undefined;
  }

  /** Sends everyone who waits away. */
  clear(): void {
    this.waiting.clear();
  }
}
