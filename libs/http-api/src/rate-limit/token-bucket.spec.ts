import fc from 'fast-check';
import { fullBucket, msUntilTurn, secondsUntilFull, secondsUntilToken, take } from './token-bucket';

const policy = { quota: 10, windowMs: 60_000 };

describe('A token bucket', () => {
  it('grants its quota immediately, then the refill', () => {
    const bucket = fullBucket(policy, 0);
    for (let count = 0; count < 10; count++) expect(take(bucket, policy, 0)).toBe(true);
    expect(take(bucket, policy, 5_999)).toBe(false);
    expect(take(bucket, policy, 6_000)).toBe(true);
    expect(take(bucket, policy, 6_000)).toBe(false);
  });

  it('computes the time to wait', () => {
    const bucket = fullBucket(policy, 0);
    expect([secondsUntilToken(bucket, policy), secondsUntilFull(bucket, policy)]).toEqual([0, 0]);
    for (let count = 0; count < 10; count++) take(bucket, policy, 0);
    expect([secondsUntilToken(bucket, policy), secondsUntilFull(bucket, policy)]).toEqual([6, 60]);
  });

  it('gives away tokens in advance, and computes when each is there', () => {
    const bucket = fullBucket(policy, 0);
    for (let count = 0; count < 10; count++) expect(msUntilTurn(bucket, policy, 0)).toBe(0);
    expect(msUntilTurn(bucket, policy, 0)).toBe(6_000);
    expect(msUntilTurn(bucket, policy, 3_000)).toBe(9_000);
    expect(msUntilTurn(bucket, policy, 18_000)).toBe(0);
  });

  it('never contains more than its quota', () => {
    const bucket = fullBucket(policy, 0);
    expect(take(bucket, policy, 1e9)).toBe(true);
    expect(bucket.tokens).toBe(9);
  });

  it('neither gains nor loses tokens when the clock is set back', () => {
    const bucket = fullBucket(policy, 60_000);
    take(bucket, policy, 0);
    expect(bucket.tokens).toBe(9);
    take(bucket, policy, 6_000);
    expect(bucket.tokens).toBe(9);
  });

  it('grants at most the quota plus the refill in any period, and never blocks permanently', () => {
    const policies = fc.record({ quota: fc.integer({ min: 1, max: 200 }), windowMs: fc.constantFrom(1_000, 60_000) });
    const pauses = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(policies, pauses, (limits, waits) => {
        const bucket = fullBucket(limits, 0);
        let now = 0;
        let given = 0;
        for (const wait of waits) {
          now += wait;
          if (take(bucket, limits, now)) given += 1;
          // Tolerates floating-point rounding.
          expect(given).toBeLessThanOrEqual(limits.quota + (now * limits.quota) / limits.windowMs + 1e-6);
        }
        expect(take(bucket, limits, now + limits.windowMs)).toBe(true);
      }),
    );
  });
});
