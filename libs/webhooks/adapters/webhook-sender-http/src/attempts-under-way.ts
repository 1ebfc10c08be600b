import type { Attempt } from './attempt';

/**
 * Ends attempts that take too long, and those whose signal aborts. All have the same time, so the one that began first is
 * the next to end, and one timer does for all of them, and one listener for all that have a signal in common: of its own,
 * either would cost an attempt more than it is worth, since nearly all end long before.
 */
export class AttemptsUnderWay {
  private readonly attempts = new Map<Attempt, AbortSignal | undefined>();
  private readonly heeded = new WeakSet<AbortSignal>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly timeoutMs: number) {}

  add(attempt: Attempt, signal?: AbortSignal): void {
    this.attempts.set(attempt, signal);
    this.timer ??= this.lookAfter(this.timeoutMs);
    if (signal && !this.heeded.has(signal)) this.heed(signal);
  }

  delete(attempt: Attempt): void {
    this.attempts.delete(attempt);
  }

  private heed(signal: AbortSignal): void {
    this.heeded.add(signal);
    const stop = (): void => {
      for (const [attempt, stoppedBy] of this.attempts) {
        if (stoppedBy === signal) attempt.giveUp('we stopped before there was an answer');
      }
    };
    signal.addEventListener('abort', stop, { once: true });
  }

  /** Comes back when the time of the oldest that is left is over. */
  private look(): void {
    this.timer = undefined;
    for (const attempt of this.attempts.keys()) {
      const leftMs = attempt.begun + this.timeoutMs - performance.now();
      if (leftMs > 0) {
        this.timer = this.lookAfter(leftMs);
        return;
      }
      this.attempts.delete(attempt);
      attempt.giveUp(`there was no whole answer within ${this.timeoutMs / 1000} s`);
    }
  }

  /** A process need not wait for it: what is under way has a connection that it waits for. */
  private lookAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.look(), Math.ceil(milliseconds)).unref();
  }
}
