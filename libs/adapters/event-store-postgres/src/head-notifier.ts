/** How long a notification may be delayed while this process writes continuously. */
const everyMs = 20;

/**
 * Notifies other processes of new events, but not of every batch: a notification wakes every listener, which on a busy
 * store costs more than the batch itself. The last batch is always notified.
 */
export class HeadNotifier {
  private last = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /** `announce` sends the current head to all listeners. */
  constructor(private readonly announce: () => Promise<void>) {}

  /** Whether the next batch should send the notification itself. */
  isDue(): boolean {
    const now = performance.now();
    if (now - this.last < everyMs) return false;
    this.last = now;
    return true;
  }

  /** Call it when a batch is durable that sent no notification. */
  notifyLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.last = performance.now();
      // Listeners also poll, so a lost notification only costs time.
      this.announce().catch(() => undefined);
    }, everyMs);
  }

  /** Sends an outstanding notification. */
  async close(): Promise<void> {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.announce().catch(() => undefined);
  }
}
