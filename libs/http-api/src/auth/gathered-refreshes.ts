/** So many keys are read by one statement; whatever is more waits for the next. */
const mostAtOnce = 1_000;

/**
 * Gathers for a moment which keys are to be read again, and reads all of them at once. Busy keys come due one by one, and
 * a read for each would cost more than the rest of their authentication. Nobody waits for it: where it fails, the keys are
 * asked for again.
 */
export class GatheredRefreshes {
  private due = new Set<string>();
  private underWay: ReadonlySet<string> = new Set();
  private isScheduled = false;

  constructor(
    private readonly read: (keys: readonly string[]) => Promise<void>,
    private readonly gatherMs: number,
  ) {}

  ask(key: string): void {
    if (this.underWay.has(key)) return;
    this.due.add(key);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.due.size === 0) return;
    this.isScheduled = true;
    setTimeout(() => void this.readDue(), this.gatherMs).unref();
  }

  private async readDue(): Promise<void> {
    const keys = [...this.due].slice(0, mostAtOnce);
    this.underWay = new Set(keys);
    for (const key of keys) this.due.delete(key);
    await this.read(keys).catch(() => undefined);
    this.underWay = new Set();
    this.isScheduled = false;
    this.schedule();
  }
}
