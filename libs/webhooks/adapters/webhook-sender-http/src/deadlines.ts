import type { Attempt } from './attempt';

/**
 * Ends attempts that take too long. All have the same time, so the one that began first is the next to end, and one timer
 * does for all of them: a timer for each would cost more than it is worth, since nearly all end long before.
 */
export class Deadlines {
  private readonly underWay = new Set<Attempt>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly timeoutMs: number) {}

  add(attempt: Attempt): void {
    this.underWay.add(attempt);
    this.timer ??= this.lookAfter(this.timeoutMs);
  }

  delete(attempt: Attempt): void {
    this.underWay.delete(attempt);
  }

  /** Comes back when the time of the oldest that is left is over. */
  private look(): void {
    this.timer = undefined;
    for (const attempt of this.underWay) {
      const leftMs = attempt.begun + this.timeoutMs - performance.now();
      if (leftMs > 0) {
        this.timer = this.lookAfter(leftMs);
        return;
      }
      this.underWay.delete(attempt);
      attempt.giveUp(`there was no whole answer within ${this.timeoutMs / 1000} s`);
    }
  }

  /** A process need not wait for it: what is under way has a connection that it waits for. */
  private lookAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.look(), Math.ceil(milliseconds)).unref();
  }
}
