/** How long other processes may have to wait for news while this one writes without a pause. */
const everyMs = 20;

/**
 * Other processes are told of new events, but not of every batch: each announcement wakes every listener, and on a busy
 * store that costs more than the batch itself. The last batch is always announced.
 */
export class Announcements {
  private last = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /** `announce` tells how far the store reaches now. */
  constructor(private readonly announce: () => Promise<void>) {}

  /** Whether the batch that is about to be written should announce itself. */
  isDue(): boolean {
    const now = performance.now();
    if (now - this.last < everyMs) return false;
    this.last = now;
    return true;
  }

  /** A batch is durable that did not announce itself. */
  owe(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.last = performance.now();
      // Whoever listens looks by itself every now and then, so a lost announcement only costs time.
      this.announce().catch(() => undefined);
    }, everyMs);
  }

  /** Pays what is owed. */
  async close(): Promise<void> {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.announce().catch(() => undefined);
  }
}
