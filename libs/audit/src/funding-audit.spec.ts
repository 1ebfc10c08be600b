import { audit, liveDepositsLog, type SampleEvent, sampleLog } from './testing';
import { changed, type ChangeCase, flawsOf, linesOf, remove, set, twice } from './testing/changed-log';

const account = 'account-acme-live';

/** One more deposit at the end of the account's stream. */
function andThen(stream: string, revision: number, data: object): SampleEvent {
  return { stream, revision, type: 'FundsDeposited', data: JSON.stringify(data), metadata: '{}' };
}

const forged = andThen(account, 0, {
  ...{ depositId: 'x', reference: 'x', amount: '777777.00', fee: '0.00', description: 'Sandbox funding' },
  after: { available: '777777.00', held: '0.00' },
});

describe('The audit of live deposits', () => {
  it('finds no flaws if each deposit has an invoice and a transfer', () => {
    expect(audit(liveDepositsLog)).toMatchObject({ flaws: [], inProgress: [] });
    expect(audit(liveDepositsLog, account)).toMatchObject({ flaws: [], inProgress: [] });
  });

  it('finds a live deposit that no invoice explains', () => {
    const expected = 'FundsDeposited credits 777777.00, but no invoice of the account explains it (reference "x")';
    expect(audit([forged]).flaws).toEqual([{ at: `${account}@0`, text: expected }]);
    expect(audit([...sampleLog, forged], account).flaws).toEqual([{ at: `${account}@0`, text: expected }]);
  });

  it('treats an account without an environment as live', () => {
    expect(flawsOf([{ ...forged, stream: 'account-acme' }])).toMatch(/^account-acme@0: .*no invoice/);
  });

  it('accepts the same deposit in the sandbox', () => {
    expect(flawsOf([{ ...forged, stream: 'account-acme-sandbox' }])).toBe('');
  });

  it('finds a second deposit for one invoice', () => {
    const again = andThen(account, 3, {
      ...{ depositId: 'other', reference: 'i1', amount: '100.00', fee: '1.50' },
      after: { available: '394.00', held: '0.00' },
    });
    expect(flawsOf([...liveDepositsLog, again])).toBe(`${account}@3: FundsDeposited credits invoice i1 a second time`);
  });

  it('finds a deposit for an invoice of another account', () => {
    const stolen = andThen('account-ida-live', 0, {
      ...{ depositId: 'i1', reference: 'i1', amount: '100.00', fee: '1.50' },
      after: { available: '98.50', held: '0.00' },
    });
    expect(flawsOf([...liveDepositsLog, stolen])).toMatch(/^account-ida-live@0: .*no invoice of the account/);
  });

  it('finds a deposit of another amount than its invoice', () => {
    const raised = changed(liveDepositsLog, 'invoices-acme-live@0', set(['depositAmount'], '10.00'));
    expect(flawsOf(raised)).toBe(
      `${account}@0: FundsDeposited credits 100.00 less 1.50, but invoice i1 is for 10.00 less 1.50`,
    );
  });

  it.each<ChangeCase>([
    ['an unpaid invoice', 'invoices-acme-live@2', remove, /@0: .*credits invoice i1, but no deposit pays it/],
    ['an unrecorded deposit', 'address-TPool@1', remove, /@0: .*its deposit d1 was not recorded at any address/],
    [
      'a deposit that pays another invoice',
      'address-TPool@1',
      set(['invoiceId'], 'i9'),
      /@0: .*its deposit d1 pays invoice i9/,
    ],
    [
      'a late deposit that no operator approved',
      'invoices-acme-live@8',
      remove,
      /@1: .*its deposit d2 did not arrive in time, and no operator approved it/,
    ],
    [
      'a rejected review',
      'invoices-acme-live@8',
      set(['outcome'], 'failed'),
      /@1: .*its deposit d2 did not arrive in time, and no operator approved it/,
    ],
    ['an unmatched deposit without a decision', 'address-TPool@4', remove, /@2: .*its deposit d3 pays no invoice/],
    ['a rejected deposit', 'address-TPool@4', set(['outcome'], 'failed'), /@2: .*its deposit d3 pays no invoice/],
    [
      'a payment of another amount',
      'invoices-acme-live@1',
      set(['payAmount'], '100.000009'),
      /@0: .*its deposit d1 is 100.000001 to TPool instead of 100.000009 to TPool/,
    ],
    [
      'missing blocks',
      'chain-0@0',
      remove,
      /@0: .*credits invoice i1, but no block that was read contains its transfer t1:0\n.*t2:0\n.*t3:0/,
    ],
    [
      'a transfer to another address',
      'chain-0@0',
      set(['transfers', '0', 'to'], 'TOther'),
      /@0: .*its deposit is 100.000001 to TPool, and transfer t1:0 is 100.000001 to TOther/,
    ],
    [
      'a transfer of another amount',
      'chain-0@0',
      set(['transfers', '2', 'amount'], '9.000000'),
      /@2: .*its deposit is 99.000000 to TPool, and transfer t3:0 is 9.000000 to TPool/,
    ],
    [
      'one transfer for two deposits',
      'address-TPool@2',
      set(['deposit', 'transactionId'], 't1'),
      /@1: .*its transfer t1:0 was credited as deposit d1 before/,
    ],
    [
      'a transfer that was read twice',
      'chain-0@0',
      twice,
      /chain-0@0: BlocksRead contains transfer t1:0 a second time/,
    ],
    [
      'a completed invoice that was not credited',
      `${account}@2`,
      remove,
      /invoices-acme-live@14: invoice i3 is completed, but account-acme-live was not credited/,
    ],
    ['an unknown decision', 'address-TPool@3', remove, /address-TPool@4: .*deposit d3 was not recorded/],
    [
      'an invoice in the stream of another account',
      'invoices-acme-live@0',
      set(['accountId'], 'ida-live'),
      /names another account than its stream/,
    ],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(changed(liveDepositsLog, at, change))).toMatch(expected);
  });

  describe('of operators', () => {
    const causedBy = (kind: string, id: string): string => JSON.stringify({ actor: { kind, id } });
    const isDecision = ({ type }: SampleEvent): boolean => type === 'InvoiceResolved' || type === 'DepositResolved';
    const bootstrap = { kind: 'operator', id: 'bootstrap' };
    const byOne = { fourEyesAmount: '1000.00', proposedBy: bootstrap };
    const decidedBy = (metadata: string, decision: object = byOne): readonly SampleEvent[] =>
      liveDepositsLog.map((event) => {
        if (!isDecision(event)) return event;
        const data = JSON.stringify({ ...(JSON.parse(event.data) as object), ...decision });
        return { ...event, data, metadata };
      });
    const [first, ...rest] = liveDepositsLog;
    const withActors = [{ ...first!, metadata: causedBy('service', 'tron') }, ...rest];

    it('accepts those of operators', () => {
      expect(flawsOf(decidedBy(causedBy('operator', 'bootstrap')))).toBe('');
    });

    it('finds those that name no operators', () => {
      expect(flawsOf(decidedBy(causedBy('operator', 'bootstrap'), {}))).toMatch(
        /^address-TPool@4: .*resolves deposit d3 as completed, but names no operators who decided it\n.*\n.*$/,
      );
    });

    it('finds those of one operator from the recorded limit and from that of the auditor on', () => {
      const recorded = decidedBy(causedBy('operator', 'bootstrap'), { ...byOne, fourEyesAmount: '100.00' });
      const expected = [
        'address-TPool@4: DepositResolved resolves deposit d3 as completed, ',
        'invoices-acme-live@8: InvoiceResolved resolves invoice i2 as completed, ',
        'invoices-acme-live@13: InvoiceResolved resolves invoice i3 as completed, ',
      ].map((text) => `${text}but only operator bootstrap decided it; from 100.00 it takes two operators`);
      expect(flawsOf(recorded).split('\n')).toEqual(expected);
      const forged = decidedBy(causedBy('operator', 'bootstrap'), { ...byOne, fourEyesAmount: '0.00' });
      expect(linesOf(audit(forged, undefined, '100.00').flaws).split('\n')).toEqual(expected);
    });

    describe('in twos', () => {
      const [ida, bob] = ['ida', 'bob'].map((id) => ({ kind: 'operator', id }));
      const at = (stream: string, revision: number, type: string, data: object, actor: unknown): SampleEvent => {
        return { stream, revision, type, data: JSON.stringify(data), metadata: JSON.stringify({ actor }) };
      };
      const approvalOf = (id: string, decision: object): SampleEvent[] => [
        at('approval-a1', 0, 'DecisionProposed', proposal(id, decision), ida),
        at('approval-a1', 1, 'DecisionConfirmed', { approvalId: 'a1', confirmedBy: bob, requestId: 'q2' }, bob),
      ];
      const proposal = (id: string, decision: object): object => ({
        ...{ approvalId: 'a1', subject: { kind: 'review', id }, amount: '100.00', requestId: 'q1' },
        ...{ decision, proposedBy: ida },
      });
      const created = ['ida', 'bob'].map((operatorId, revision) => {
        return at('operators-all', revision, 'OperatorCreated', { operatorId, role: 'finance' }, bootstrap);
      });
      const approved = { fourEyesAmount: '100.00', proposedBy: ida, confirmedBy: bob, approvalId: 'a1', note: 'Paid' };
      const log = (approval: readonly SampleEvent[]): readonly SampleEvent[] => {
        const decided = decidedBy(causedBy('operator', 'bob'), approved);
        return [
          ...created,
          ...approval,
          ...decided.filter((event) => !event.data.includes('"i2"') || !isDecision(event)),
        ];
      };
      const decision = { outcome: 'completed', note: 'Paid', invoiceId: 'i3' };
      const unresolved = `${account}@1: FundsDeposited credits invoice i2, but its deposit d2 did not arrive in time, and no operator approved it`;
      const flawsWith = (approval: readonly SampleEvent[]): string =>
        flawsOf(log(approval)).replace(`\n${unresolved}`, '').replace(unresolved, '');

      it('accepts a deposit and its invoice with the approval of the deposit', () => {
        expect(flawsWith(approvalOf('d3', decision))).toBe('');
      });

      it.each([
        [
          'no approval',
          [],
          /address-TPool@4: .*no operators have approved it \(approval "a1"\)\ninvoices-acme-live@13: .*/,
        ],
        ['the approval of another review', approvalOf('d9', decision), /@4: .*no operators have approved it/],
        [
          'the approval of another invoice',
          approvalOf('d3', { ...decision, invoiceId: 'i9' }),
          /@4: .*the approved decision has another invoiceId\ninvoices-acme-live@13: .*has another invoiceId/,
        ],
        ['the approval of another outcome', approvalOf('d3', { ...decision, outcome: 'failed' }), /another outcome/],
        ['the approval of another note', approvalOf('d3', { ...decision, note: 'Other' }), /another note/],
      ])('finds %s', (_, approval, expected) => {
        expect(flawsWith(approval)).toMatch(expected);
      });
    });

    it.each([
      ['service', 'webhook-dispatcher'],
      ['api_key', 'tenant'],
      ['chain', 'tron'],
    ])('finds those of another actor, a %s', (kind, id) => {
      const who = `${kind} ${id} instead of an operator`;
      expect(flawsOf(decidedBy(causedBy(kind, id)))).toBe(
        [
          `address-TPool@4: DepositResolved resolves deposit d3 as completed, but was caused by ${who}`,
          `invoices-acme-live@8: InvoiceResolved resolves invoice i2 as completed, but was caused by ${who}`,
          `invoices-acme-live@13: InvoiceResolved resolves invoice i3 as completed, but was caused by ${who}`,
        ].join('\n'),
      );
    });

    it('accepts those without an actor only before the first event with an actor', () => {
      expect(flawsOf(withActors)).toMatch(
        /^address-TPool@4: .*unknown actor instead of an operator\ninvoices-acme-live@8: .*\ninvoices-acme-live@13: .*$/,
      );
      const last = { ...liveDepositsLog.at(-1)!, metadata: causedBy('service', 'invoices') };
      expect(flawsOf([...liveDepositsLog.slice(0, -1), last])).toBe('');
    });

    it('accepts a process that completes a decision from before actors were recorded', () => {
      const resumed = liveDepositsLog.map((event) => {
        const isAttribution = event.type === 'InvoiceResolved' && event.data.includes('"i3"');
        return isAttribution ? { ...event, metadata: causedBy('service', 'invoices') } : event;
      });
      expect(flawsOf(resumed)).toBe('');
    });

    it('finds the decisions about one account if only that is audited', () => {
      const forged = decidedBy(causedBy('service', 'tron'));
      expect(audit(forged, account).flaws).toHaveLength(3);
      expect(audit(forged, 'account-ida-live').flaws).toEqual([]);
    });
  });

  it('lists a paid invoice that is not credited yet as work in progress', () => {
    const uncredited = liveDepositsLog.filter(
      ({ stream, revision, type }) => `${stream}@${revision}` !== `${account}@2` && type !== 'InvoiceCompleted',
    );
    const { flaws, inProgress } = audit(uncredited);
    expect(flaws).toEqual([]);
    expect(linesOf(inProgress)).toBe('invoices-acme-live@13: invoice i3 is paid and not credited yet');
  });
});
