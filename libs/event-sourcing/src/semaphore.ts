/** Limits how many tasks run concurrently. The others wait in order of arrival. */
export class Semaphore {
  private readonly queue: (() => void)[] = [];
  private running = 0;

  /**
   * `limit` may change over time: it is read whenever a task arrives or ends. `checkQueue` receives the number of
   * waiting tasks before another one queues, and throws to reject it.
   */
  constructor(
    private readonly limit: () => number,
    private readonly checkQueue: (waiting: number) => void = () => undefined,
  ) {}

  /** The number of running tasks. */
  get count(): number {
    return this.running;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.queue.length === 0 && this.running < this.limit()) this.running += 1;
    else await this.waitInQueue();
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.admitWaiting();
    }
  }

  /** Admits the task that has waited longest, regardless of the limit. Does nothing when no task is waiting. */
  admit(): void {
    if (this.queue.length === 0) return;
    this.admitNext();
    this.admitWaiting();
  }

  private async waitInQueue(): Promise<void> {
    this.checkQueue(this.queue.length);
    await new Promise<void>((resolve) => this.queue.push(resolve));
  }

  /** Always admits at least one task. */
  private admitWaiting(): void {
    const limit = Math.max(1, this.limit());
    while (this.queue.length > 0 && this.running < limit) this.admitNext();
  }

  /** The task counts as running from now on, so that no other task can take its slot. */
  private admitNext(): void {
    this.running += 1;
    this.queue.shift()!();
  }
}
