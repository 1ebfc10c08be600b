import fc from 'fast-check';
import { nextAttemptAt } from './retry-schedule';

const now = new Date('2030-01-01T00:00:00.000Z');
const hour = 3_600_000;
const pauseOf = (attempts: number, random = 0.5, retryAfterMs?: number): number | undefined => {
  const next = nextAttemptAt(attempts, now, random, retryAfterMs);
  return next && next.getTime() - now.getTime();
};

describe('nextAttemptAt', () => {
  it('increases the delay after each failure and ends after the tenth attempt', () => {
    const pauses = [
      5_000,
      300_000,
      1_800_000,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      undefined,
    ];
    expect(pauses.map((_, index) => pauseOf(index + 1))).toEqual(pauses);
  });

  it('varies the delay by ten percent', () => {
    expect([pauseOf(1, 0), pauseOf(1, 1)]).toEqual([4_500, 5_500]);
  });

  it('respects a longer Retry-After up to a day and ignores a shorter one', () => {
    expect(pauseOf(1, 0.5, 60_000)).toBe(60_000);
    expect(pauseOf(1, 0.5, 1_000)).toBe(5_000);
    expect(pauseOf(1, 0.5, 1_000 * hour)).toBe(24 * hour);
    expect(pauseOf(10, 0.5, 60_000)).toBeUndefined();
  });

  it('is never before Retry-After and never after a day and ten percent', () => {
    const cases = fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(48 * hour),
    );
    fc.assert(
      fc.property(cases, ([attempts, random, retryAfter]) => {
        const pause = pauseOf(attempts, random, retryAfter)!;
        expect(pause).toBeGreaterThanOrEqual(Math.min(retryAfter, 24 * hour));
        expect(pause).toBeLessThanOrEqual(26.4 * hour);
      }),
    );
  });
});
