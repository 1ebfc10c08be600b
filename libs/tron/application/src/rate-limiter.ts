/** Spaces calls evenly, at most `perSecond` per second. */
export class RateLimiter {
  private readonly betweenMs: number;
  private nextMs = -Infinity;

  constructor(perSecond: number) {
    this.betweenMs = 1_000 / perSecond;
  }

  /** Reserves the next slot and returns the milliseconds until then. */
  reserve(nowMs: number): number {
    const startMs = Math.max(nowMs, this.nextMs);
    this.nextMs = startMs + this.betweenMs;
    return startMs - nowMs;
  }
}
