import fc from 'fast-check';
import { Random } from '../random';
import { allFaultKinds } from './fault-kinds';
import { planFaults } from './schedule';

const plan = (seed: string, durationMs = 180_000) => planFaults(new Random(seed), { kinds: allFaultKinds, durationMs });

describe('planFaults', () => {
  it('returns the same plan for the same seed', () => {
    expect(plan('7')).toEqual(plan('7'));
    expect(plan('7')).not.toEqual(plan('8'));
  });

  it('plans a bounded number of faults within the load', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 36_000_000 }), (seed, durationMs) => {
        const faults = plan(seed, durationMs);
        expect(faults.length).toBeLessThanOrEqual(1_000);
        const isWithin = faults.every(({ atMs, forMs, target }) => atMs + forMs <= durationMs && target < 1);
        expect(isWithin).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('plans every kind once before it repeats one', () => {
    const kinds = plan('1').map(({ kind }) => kind);
    expect(kinds.length).toBeGreaterThan(allFaultKinds.length);
    expect(new Set(kinds.slice(0, allFaultKinds.length)).size).toBe(allFaultKinds.length);
  });

  it('plans only the requested kinds', () => {
    const options = { durationMs: 30_000 };
    const only = planFaults(new Random('1'), { ...options, kinds: ['cut-database'] });
    expect(new Set(only.map(({ kind }) => kind))).toEqual(new Set(['cut-database']));
    expect(planFaults(new Random('1'), { ...options, kinds: [] })).toEqual([]);
  });
});

describe('Random', () => {
  it('returns the same numbers from a fork regardless of other draws', () => {
    const [one, other] = [new Random('s'), new Random('s')];
    other.next();
    expect(one.fork('a').next()).toBe(other.fork('a').next());
    expect(one.fork('a').next()).not.toBe(one.fork('b').next());
  });

  it('respects bounds and weights', () => {
    const random = new Random('w');
    const drawn = Array.from({ length: 4_000 }, () => random.weighted({ often: 3, seldom: 1, never: 0 }));
    const often = drawn.filter((name) => name === 'often').length;
    expect(often).toBeGreaterThan(2_850);
    expect(often).toBeLessThan(3_150);
    expect(drawn).not.toContain('never');
    const numbers = Array.from({ length: 1_000 }, () => random.between(3, 5));
    expect(new Set(numbers)).toEqual(new Set([3, 4, 5]));
  });
});
