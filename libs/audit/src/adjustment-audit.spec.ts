import { adjustmentsLog, audit, type SampleEvent, sampleLog } from './testing';
import { as, changed, type ChangeCase, flawsOf, linesOf, remove, set, twice } from './testing/changed-log';

const account = 'account-acme-live';
const approval = 'approval-a3';

const causedBy =
  (actor: unknown): ChangeCase[2] =>
  (event: SampleEvent) => [{ ...event, metadata: JSON.stringify({ actor }) }];
const operator = (id: string): object => ({ kind: 'operator', id });

describe('The audit of adjustments', () => {
  it('finds no flaws if each adjustment has the decision of its operators', () => {
    const { ledger, flaws, inProgress } = audit(adjustmentsLog);
    expect({ flaws, inProgress }).toEqual({ flaws: [], inProgress: [] });
    expect(ledger.accounts.get(account)?.sums).toMatchObject({ adjusted: 199_000n, available: 199_000n });
    expect(audit(adjustmentsLog, account)).toMatchObject({ flaws: [], inProgress: [] });
    expect(audit([...sampleLog, ...adjustmentsLog], 'account-acme-sandbox')).toMatchObject({
      ...{ flaws: [], inProgress: [] },
    });
  });

  it.each<ChangeCase>([
    ['an amount without a balance change', `${account}@1`, set(['amount'], '9.00'), /@1: .*events add up to 990.99/],
    ['another direction', `${account}@1`, set(['direction'], 'credit'), /@1: .*records 990.00 available/],
    ['an unknown direction', `${account}@1`, set(['direction'], 'up'), /@1: .*cannot be audited: "direction" is up/],
    ['a debit below zero', `${account}@1`, set(['amount'], '1000.00'), /@1: .*leaves a negative balance/],
    ['an adjustment executed twice', `${account}@1`, twice, /@1: .*executes adjustment a2 a second time/],
    [
      'an adjustment that no operator caused',
      `${account}@0`,
      causedBy({ kind: 'service', id: 'invoices' }),
      /@0: .*credits 999.99, but was caused by service invoices instead of an operator/,
    ],
    ['an adjustment without an actor', `${account}@0`, causedBy(undefined), /@0: .*caused by an unknown actor/],
    [
      'an adjustment in the name of another operator',
      `${account}@0`,
      causedBy(operator('bob')),
      /@0: .*names operator ida and was caused by operator bob/,
    ],
    [
      'a large adjustment that one operator decided',
      `${account}@2`,
      set(['confirmedBy'], undefined),
      /@2: .*credits 1000.00, but only operator ida decided it; from 1000.00 it takes two operators/,
    ],
    ['an unconfirmed proposal', `${approval}@1`, remove, /account-acme-live@2: .*no operators have approved/],
    [
      'a confirmation by the proposer',
      `${approval}@1`,
      set(['confirmedBy'], operator('ida')),
      /approval-a3@1: .*is by operator ida, who has proposed it/,
    ],
    [
      'a confirmation in the name of another operator',
      `${approval}@1`,
      causedBy(operator('ida')),
      /approval-a3@1: .*names operator bob, but was caused by operator ida/,
    ],
    [
      'other operators than those who approved it',
      `${account}@2`,
      set(['confirmedBy'], operator('eve')),
      /@2: .*operator ida and operator bob have approved it instead of operator ida and operator eve/,
    ],
    [
      'another amount than the approved one',
      `${approval}@0`,
      set(['decision', 'amount'], '10.00'),
      /@2: .*has another account, direction or amount/,
    ],
    [
      'another account than the approved one',
      `${approval}@0`,
      set(['decision', 'accountId'], 'ida-live'),
      /@2: .*has another account, direction or amount/,
    ],
    ['an approval of something else', `${approval}@0`, set(['subject', 'kind'], 'review'), /@2: .*no operators have/],
    ['a withdrawn proposal', `${approval}@1`, as('ProposalWithdrawn'), /approval-a3@1: .*cannot be audited/],
    ['an unknown event of an approval', `${approval}@1`, as('DecisionBurnt'), /approval-a3@1: .*does not know the/],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(changed(adjustmentsLog, at, change))).toMatch(expected);
  });

  describe('by one operator, with a recorded four-eyes amount of zero or a high one', () => {
    const alone = adjustmentsLog.filter(({ stream }) => stream !== approval);
    const decidedWith = (fourEyesAmount: string): readonly SampleEvent[] =>
      changed(changed(alone, `${account}@2`, set(['confirmedBy'], undefined)), `${account}@2`, (event) =>
        causedBy(operator('ida'))(set(['fourEyesAmount'], fourEyesAmount)(event)[0]!),
      );

    it.each(['0.00', '1000000.00'])('finds an amount from the limit of the auditor on (recorded: %s)', (recorded) => {
      const expected = /@2: .*credits 1000.00, but only operator ida decided it; from 1000.00 it takes two operators/;
      expect(flawsOf(decidedWith(recorded))).toMatch(expected);
      expect(linesOf(audit(decidedWith(recorded), account).flaws)).toMatch(expected);
    });

    it.each(['0.00', '1000.01'])('accepts it if the limit of the auditor is %s', (limit) => {
      expect(audit(decidedWith('0.00'), undefined, limit).flaws).toEqual([]);
    });

    it('finds an amount above the recorded limit although the auditor expects one operator', () => {
      expect(linesOf(audit(decidedWith('500.00'), undefined, '0.00').flaws)).toMatch(/from 500.00 it takes two/);
    });
  });

  it('finds the adjustment of an operator who never existed', () => {
    const ghost = operator('ghost');
    const data = {
      ...{ adjustmentId: 'a1', direction: 'credit', amount: '777777.00', proposedBy: ghost, fourEyesAmount: '0.00' },
      after: { available: '777777.00', held: '0.00' },
    };
    const metadata = JSON.stringify({ actor: ghost });
    const event = { stream: account, revision: 0, type: 'AccountAdjusted', data: JSON.stringify(data), metadata };
    const expected =
      'AccountAdjusted credits 777777.00, but was caused by operator ghost, who did not exist at that time';
    expect(audit([event]).flaws).toEqual([{ at: `${account}@0`, text: expected }]);
  });

  it.each<ChangeCase>([
    [
      'an adjustment by a viewer',
      `${account}@0`,
      causedBy(operator('vera')),
      /@0: .*caused by operator vera, who had the role viewer at that time/,
    ],
    [
      'a confirmation by a viewer',
      `${approval}@1`,
      (event) => causedBy(operator('vera'))(set(['confirmedBy'], operator('vera'))(event)[0]!),
      /approval-a3@1: .*is a decision of operator vera, who had the role viewer at that time/,
    ],
    [
      'a proposal by an unknown operator',
      `${approval}@0`,
      (event) => causedBy(operator('eve'))(set(['proposedBy'], operator('eve'))(event)[0]!),
      /approval-a3@0: .*is a decision of operator eve, who did not exist at that time/,
    ],
    [
      'a proposal by a service',
      `${approval}@0`,
      (event) => {
        const service = { kind: 'service', id: 'invoices' };
        return causedBy(service)(set(['proposedBy'], service)(event)[0]!);
      },
      /approval-a3@0: .*is a decision of service invoices instead of an operator/,
    ],
    [
      'decisions of a disabled operator',
      'operators-all@4',
      (event) => [{ ...event, type: 'OperatorDisabled', data: JSON.stringify({ operatorId: 'ida' }) }],
      /approval-a3@0: .*operator ida, who was disabled at that time\n(.*\n)*account-acme-live@0: .*who was disabled/,
    ],
    [
      'an operator who was created by a service',
      'operators-all@0',
      causedBy({ kind: 'service', id: 'webhook-dispatcher' }),
      /operators-all@0: .*is a decision of service webhook-dispatcher instead of an operator/,
    ],
    [
      'a role that an operator without the role admin has granted',
      'operators-all@2',
      causedBy(operator('ida')),
      /operators-all@2: .*is a decision of operator ida, who had the role finance/,
    ],
    ['an unknown event of an operator', 'operators-all@4', as('OperatorBurnt'), /operators-all@4: .*does not know/],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(changed(adjustmentsLog, at, change))).toMatch(expected);
  });

  it('accepts the decisions of an operator who was disabled afterwards', () => {
    const disabled = { ...adjustmentsLog[0]!, revision: 5, type: 'OperatorDisabled' };
    expect(flawsOf([...adjustmentsLog, disabled])).toBe('');
  });

  it('finds an adjustment that was executed before its confirmation', () => {
    const confirmation = adjustmentsLog.find(({ type }) => type === 'DecisionConfirmed')!;
    const late = [...adjustmentsLog.filter((event) => event !== confirmation), confirmation];
    expect(flawsOf(late)).toMatch(/account-acme-live@2: .*it was executed before the confirmation/);
  });

  it('lists a confirmed adjustment that is not executed as work in progress', () => {
    const unexecuted = adjustmentsLog.filter(({ stream, revision }) => `${stream}@${revision}` !== `${account}@2`);
    const { flaws, inProgress } = audit(unexecuted);
    expect(flaws).toEqual([]);
    expect(linesOf(inProgress)).toBe('approval-a3@1: adjustment a3 is confirmed and not executed yet');
    expect(audit(unexecuted, 'account-acme-sandbox').inProgress).toEqual([]);
  });

  describe('of a confirmed proposal that was withdrawn', () => {
    const withdrawal = (type: string, revision: number): SampleEvent => {
      const data = { approvalId: 'a3', withdrawnBy: operator('bob'), confirmedBy: operator('bob'), requestId: 'q3' };
      const metadata = JSON.stringify({ actor: operator('bob') });
      return { stream: approval, revision, type, data: JSON.stringify(data), metadata };
    };
    const log = [...adjustmentsLog, withdrawal('ProposalWithdrawn', 2)];

    it('accepts an execution that had begun', () => {
      expect(audit(log)).toMatchObject({ flaws: [], inProgress: [] });
    });

    it('does not list it as work in progress', () => {
      const unexecuted = log.filter(({ stream, revision }) => `${stream}@${revision}` !== `${account}@2`);
      expect(audit(unexecuted)).toMatchObject({ flaws: [], inProgress: [] });
    });

    it('finds a later confirmation', () => {
      expect(flawsOf([...log, withdrawal('DecisionConfirmed', 3)])).toMatch(/approval-a3@3: .*nothing was proposed/);
    });
  });
});
