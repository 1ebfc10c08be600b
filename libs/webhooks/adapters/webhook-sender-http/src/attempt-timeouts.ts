import type { Attempt } from './attempt';

/**
 * Aborts attempts after a timeout or when their signal aborts. All attempts have the same timeout, so one timer for the
 * oldest suffices, and one listener per signal: both would be expensive per attempt, and nearly all attempts end before.
 */
export class AttemptTimeouts {
  private readonly attempts = new Map<Attempt, AbortSignal | undefined>();
  private readonly observed = new WeakSet<AbortSignal>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly timeoutMs: number) {}

  add(attempt: Attempt, signal?: AbortSignal): void {
    this.attempts.set(attempt, signal);
    this.timer ??= this.checkAfter(this.timeoutMs);
    if (signal && !this.observed.has(signal)) this.observe(signal);
  }

  delete(attempt: Attempt): void {
    this.attempts.delete(attempt);
  }

  private observe(signal: AbortSignal): void {
    this.observed.add(signal);
    const abort = (): void => {
      for (const [attempt, abortedBy] of this.attempts) {
        if (abortedBy === signal) attempt.cancel('Florin stopped before there was a response');
      }
    };
    signal.addEventListener('abort', abort, { once: true });
  }

  /** Runs again when the oldest remaining attempt times out. */
  private check(): void {
    this.timer = undefined;
    for (const attempt of this.attempts.keys()) {
      const leftMs = attempt.startedAt + this.timeoutMs - performance.now();
      if (leftMs > 0) {
        this.timer = this.checkAfter(leftMs);
        return;
      }
      this.attempts.delete(attempt);
      attempt.cancel(`there was no complete response within ${this.timeoutMs / 1000} s`);
    }
  }

  /** The timer does not keep the process alive: attempts in flight have a connection that does. */
  private checkAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.check(), Math.ceil(milliseconds)).unref();
  }
}
