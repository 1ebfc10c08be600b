import { decisionIn, isDecided, type OperatorDecision } from './operator-decision';

const ida = { kind: 'operator', id: 'ida' } as const;
const bob = { kind: 'operator', id: 'bob' } as const;
const alone: OperatorDecision = { fourEyesAmount: '1000.00', proposedBy: ida };

describe('isDecided', () => {
  it('takes one operator below the four-eyes amount, or if it is zero', () => {
    expect(isDecided(99_999n, alone)).toBe(true);
    expect(isDecided(100_000n, alone)).toBe(false);
    expect(isDecided(100_000n, { ...alone, fourEyesAmount: '0.00' })).toBe(true);
  });

  it('takes two different operators from the four-eyes amount on', () => {
    expect(isDecided(100_000n, { ...alone, confirmedBy: bob })).toBe(true);
    expect(isDecided(100_000n, { ...alone, confirmedBy: ida })).toBe(false);
  });

  it('is false for a command that names no operator', () => {
    expect(isDecided(1n, {})).toBe(false);
    expect(isDecided(1n, { fourEyesAmount: '0.00' })).toBe(false);
  });
});

describe('decisionIn', () => {
  it('returns the fields of the decision that exist', () => {
    const decision = { ...alone, confirmedBy: bob, approvalId: 'a1' };
    expect(decisionIn({ ...decision, note: 'Checked' } as OperatorDecision)).toEqual(decision);
    expect(decisionIn({})).toEqual({});
  });
});
