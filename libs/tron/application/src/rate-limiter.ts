/** Spreads starts evenly, at most so many a second. */
export class RateLimiter {
  private readonly betweenMs: number;
  private nextMs = -Infinity;

  constructor(perSecond: number) {
    this.betweenMs = 1_000 / perSecond;
  }

  /** Takes the next free place, and tells how long it is until then. */
  reserve(nowMs: number): number {
    const startMs = Math.max(nowMs, this.nextMs);
    this.nextMs = startMs + this.betweenMs;
    return startMs - nowMs;
  }
}
