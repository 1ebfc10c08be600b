import { as, changed, type ChangeCase, flawsOf, linesOf, remove, set, twice } from './testing/changed-log';
import { audit, type SampleEvent, sampleLog } from './testing';

const withEvent = (at: string, change: ChangeCase[2]): readonly SampleEvent[] => changed(sampleLog, at, change);
const without = (at: string): readonly SampleEvent[] => withEvent(at, remove);

const account = 'account-acme-sandbox';

const after = (available: string, held: string): object => ({ after: { available, held } });

/** One more event at the end of the account's stream. */
const andThen = (type: string, data: object, revision = 6): SampleEvent => ({
  ...{ stream: account, revision, type, data: JSON.stringify(data), metadata: '{}' },
});

describe('The ledger audit', () => {
  it('finds no flaws in a correct log and adds it up', () => {
    const { ledger, flaws, inProgress } = audit(sampleLog);
    expect({ flaws, inProgress }).toEqual({ flaws: [], inProgress: [] });
    expect(ledger.accounts.get(account)?.sums).toEqual({
      ...{
        deposited: 100_000n,
        fees: 5_320n,
        captured: 10_000n,
        adjusted: 0n,
        refunded: 0n,
        available: 79_680n,
        held: 5_000n,
      },
    });
    expect([...ledger.operations].map(([, { status }]) => status)).toEqual(['completed', 'failed', 'manual_review']);
  });

  describe('of a resolved review', () => {
    const bootstrap = { kind: 'operator', id: 'bootstrap' };
    const resolvedBy = (actor: unknown, decision: object = {}): readonly SampleEvent[] => {
      const data = JSON.stringify({ operationId: '3', outcome: 'failed', note: 'Asked the issuer', ...decision });
      const metadata = JSON.stringify({ actor });
      const resolved = { stream: 'operation-3', revision: 2, type: 'ReviewResolved', data, metadata };
      const released = andThen('ReservationReleased', {
        reservationId: '3',
        amount: '50.00',
        ...after('846.80', '0.00'),
      });
      const failed = { ...resolved, revision: 3, type: 'OperationFailed', metadata: '{}' };
      return [...sampleLog, resolved, released, failed];
    };

    it('accepts an operator, and no actor before the first event with one', () => {
      expect(flawsOf(resolvedBy(bootstrap, { fourEyesAmount: '1.00', proposedBy: bootstrap }))).toBe('');
      expect(flawsOf(resolvedBy(undefined))).toBe('');
    });

    it('finds one that names no operators, or another one', () => {
      expect(flawsOf(resolvedBy(bootstrap))).toMatch(/^operation-3@2: .*names no operators who decided it$/);
      const other = { fourEyesAmount: '1.00', proposedBy: { kind: 'operator', id: 'ida' } };
      expect(flawsOf(resolvedBy(bootstrap, other))).toMatch(/names operator ida and was caused by operator bootstrap$/);
    });

    it('finds a large amount that one operator completed', () => {
      const alone = { outcome: 'completed', fourEyesAmount: '0.00', proposedBy: bootstrap };
      const flaws = linesOf(audit(resolvedBy(bootstrap, alone), undefined, '50.00').flaws);
      expect(flaws).toMatch(
        /operation-3@2: .*as completed, but only operator bootstrap decided it; from 50.00 it takes/,
      );
    });

    it.each([
      { kind: 'service', id: 'operations' },
      { kind: 'api_key', id: 'tenant' },
    ])('finds the decision of another actor, $kind', (actor) => {
      expect(flawsOf(resolvedBy(actor))).toBe(
        'operation-3@2: ReviewResolved resolves the review as failed, ' +
          `but was caused by ${actor.kind} ${actor.id} instead of an operator`,
      );
      expect(audit(resolvedBy(actor), 'account-acme-live').flaws).toEqual([]);
    });
  });

  it.each<ChangeCase>([
    ['a wrong balance', `${account}@1`, set(['after', 'available'], '896.81'), /@1: .*records 896.81/],
    [
      'an amount without a balance change',
      `${account}@0`,
      set(['amount'], '1000.01'),
      /@0: .*but the events add up to 950.01 available/,
    ],
    ['a deposit credited twice', `${account}@0`, twice, /a second time/],
    ['a reservation made twice', `${account}@5`, twice, /@5: .*reserves funds for 3 a second time/],
    [
      'a reservation captured twice',
      `${account}@2`,
      twice,
      /@2: .*captures the reservation for 1, which was already captured/,
    ],
    [
      'the release of a reservation that was never made',
      `${account}@3`,
      remove,
      /@4: .*releases the reservation for 2, which was never made/,
    ],
    [
      'a capture of another amount',
      `${account}@2`,
      set(['amount'], '103.19'),
      /@2: .*is for 103.19, but 103.20 was reserved/,
    ],
    [
      'a capture with another fee',
      `${account}@2`,
      set(['fee'], '3.19'),
      /@2: .*has a fee of 3.19, but 1 was reserved with a fee of 3.20/,
    ],
    [
      'a capture without the fee',
      `${account}@2`,
      set(['fee'], undefined),
      /@2: .*has no fee, but 1 was reserved with a fee of 3.20/,
    ],
    [
      'a reservation with another fee than its order',
      'operation-1@0',
      set(['order', 'amount'], '99.99'),
      /the reservation of 103.20 for 1 has a fee of 3.20, but the order's is 3.21/,
    ],
    ['an account below zero', `${account}@5`, set(['amount'], '900.00'), /@5: .*leaves a negative balance/],
    ['an unknown event type', `${account}@5`, as('FundsBurnt'), /@5: FundsBurnt cannot be audited/],
    [
      'an event without its amount',
      `${account}@2`,
      set(['amount'], 'much'),
      /cannot be audited: "amount" is not an amount/,
    ],
    ['a completed operation with a released reservation', `${account}@2`, as('ReservationReleased'), /is completed/],
    [
      'a failed operation with a captured reservation',
      'operation-1@2',
      as('OperationFailed'),
      /captured, but .* failed/,
    ],
    ['an operation in review without a reservation', `${account}@5`, remove, /no funds were reserved for operation 3/],
    [
      'an order of another total',
      'operation-3@0',
      set(['order', 'total'], '50.01'),
      /differs from the order's total of 50.01/,
    ],
    [
      'an order of another account',
      'operation-3@0',
      set(['order', 'accountId'], 'ida-live'),
      /the order names account-ida-live/,
    ],
    [
      'an operation that is completed without an accepted call',
      'operation-1@1',
      remove,
      /operation-1@2: OperationCompleted follows although the operation was not accepted/,
    ],
    ['an operation that ends twice', 'operation-2@2', twice, /@2: .*although the operation was already failed/],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(withEvent(at, change))).toMatch(expected);
  });

  it.each([
    ['capture', '1', 'captured'],
    ['release', '2', 'released'],
  ])('finds a %s without an operation', (_, id, end) => {
    const orphaned = sampleLog.filter(({ stream }) => stream !== `operation-${id}`);
    expect(flawsOf(orphaned)).toMatch(
      new RegExp(`${account}: the reservation of \\S+ for ${id} is ${end}, but the operation does not exist`),
    );
  });

  it('reports a wrong balance once, at the event where it starts', () => {
    const { flaws } = audit(withEvent(`${account}@1`, set(['after', 'held'], '0.00')));
    expect(flaws.map(({ at }) => at)).toEqual([`${account}@1`]);
    const moved = audit(withEvent(`${account}@0`, set(['amount'], '1000.01')));
    expect(moved.flaws.map(({ at }) => at)).toEqual([`${account}@0`, `${account}@5`]);
  });

  it('compares the open reservations with the held balance of the last event', () => {
    const forged = andThen('FundsDeposited', {
      depositId: 'e',
      amount: '1.00',
      fee: '0.00',
      ...after('797.80', '40.00'),
    });
    expect(flawsOf([...sampleLog, forged])).toMatch(
      /open reservations add up to 50.00, but the last event records 40.00 held/,
    );
  });
});

describe('A refund', () => {
  const refunded = (available: string, revision = 6): SampleEvent =>
    andThen('FundsRefunded', { refundId: '9', amount: '10.00', ...after(available, '50.00') }, revision);

  it('is added to the account', () => {
    const { ledger } = audit([...sampleLog, refunded('806.80')]);
    expect(ledger.accounts.get(account)?.sums).toMatchObject({ refunded: 1_000n, available: 80_680n });
    expect(flawsOf([...sampleLog, refunded('806.81')])).toMatch(/@6: .*records 806.81 available/);
  });

  it('is credited once', () => {
    expect(flawsOf([...sampleLog, refunded('806.80'), refunded('816.80', 7)])).toMatch(
      /@7: .*credits refund 9 a second time/,
    );
  });
});

describe('A reservation with its order', () => {
  it.each(['order', 'purpose'])('marks the operation as ordered, with the field %s', (field) => {
    const reserved = { reservationId: '4', amount: '6.80', [field]: { operationId: '4' }, ...after('790.00', '56.80') };
    const { ledger } = audit([...sampleLog, andThen('FundsReserved', reserved)]);
    expect(ledger.operations.get('4')).toMatchObject({ isOrdered: true, status: 'queued' });
  });
});

describe('Work in progress', () => {
  const inProgressOf = (events: readonly SampleEvent[]): string => {
    const { flaws, inProgress } = audit(events);
    expect(flaws).toEqual([]);
    return linesOf(inProgress);
  };

  it('includes a reservation whose operation is not queued yet', () => {
    const unqueued = sampleLog.filter(({ stream }) => stream !== 'operation-3');
    expect(inProgressOf(unqueued)).toMatch(/the reservation of 50.00 for 3 waits for its operation to be queued/);
  });

  it('includes a reservation that ended as decided before its operation became final', () => {
    expect(inProgressOf(without('operation-1@2'))).toMatch(
      /is captured; its operation \(processing\) is not final yet/,
    );
    expect(inProgressOf(without('operation-2@2'))).toMatch(
      /is released; its operation \(processing\) is not final yet/,
    );
  });

  it('excludes a reservation that ended before or against the decision', () => {
    const undecided = without('operation-1@1').filter(
      ({ stream, revision }) => `${stream}@${revision}` !== 'operation-1@2',
    );
    expect(flawsOf(undecided)).toMatch(/is captured, but its operation is queued/);
    const contrary = withEvent('operation-1@1', as('OperationDeclined'));
    expect(flawsOf(contrary.filter(({ type }) => type !== 'OperationCompleted'))).toMatch(
      /but its operation is processing/,
    );
  });

  it('includes an orphaned reservation unless it is captured', () => {
    const reservation = { reservationId: '1', amount: '103.20' };
    const again = andThen('FundsReserved', { ...reservation, ...after('693.60', '153.20') });
    expect(inProgressOf([...sampleLog, again])).toMatch(/made after the first one had ended; it is open/);
    const released = andThen('ReservationReleased', { ...reservation, ...after('796.80', '50.00') }, 7);
    expect(inProgressOf([...sampleLog, again, released])).toMatch(/made after the first one had ended; it is released/);
    const captured = andThen('ReservationCaptured', { ...reservation, ...after('693.60', '50.00') }, 7);
    expect(flawsOf([...sampleLog, again, captured])).toMatch(
      /@7: .*captures a second reservation for 1; the first one was captured/,
    );
  });
});

describe('The audit of one account', () => {
  const other: SampleEvent = { ...sampleLog[0]!, stream: 'account-ida-live', data: '{}' };

  it('ignores all other accounts', () => {
    const { ledger, flaws } = audit([...sampleLog, other], account);
    expect(flaws).toEqual([]);
    expect([...ledger.accounts.keys()]).toEqual([account]);
    expect(ledger.operations.size).toBe(3);
    expect(audit([...sampleLog, other], 'account-ida-live')).toMatchObject({
      flaws: [{ at: 'account-ida-live@0' }],
    });
  });
});
