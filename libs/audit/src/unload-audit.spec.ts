import { audit, unloadLog } from './testing';
import { continued, type SampleEvent } from './testing/sample-log';
import { as, changed, type ChangeCase, flawsOf, linesOf, remove, set, twice } from './testing/changed-log';

const account = 'account-acme-sandbox';

describe('The audit of unloads', () => {
  it('finds no flaws if the money of each unload is on the card or on the account', () => {
    const { ledger, flaws, inProgress } = audit(unloadLog);
    expect({ flaws, inProgress }).toEqual({ flaws: [], inProgress: [] });
    expect(ledger.accounts.get(account)?.sums).toMatchObject({ refunded: 2_000n, available: 81_680n });
    expect(audit(unloadLog, account)).toMatchObject({ flaws: [], inProgress: [] });
    expect(audit(unloadLog, 'account-ida-live')).toMatchObject({ flaws: [], inProgress: [] });
  });

  it.each<ChangeCase>([
    ['a refund without an unload', 'card-c1@4', remove, /the refund of 20.00 for u1 was not taken off a card/],
    ['a refund of another amount', 'card-c1@4', set(['amount'], '19.00'), /is for 19.00, but 20.00 was reserved/],
    [
      'a refund of another number',
      `${account}@6`,
      set(['unloadNumber'], 2),
      /@6: the refund of 20.00 for u1 differs from the unload, number 1 of 20.00 on card-c1/,
    ],
    ['a refund of another card', `${account}@6`, set(['cardId'], 'c2'), /@6: .*differs from the unload/],
    ['a refund made twice', `${account}@6`, twice, /@6: FundsRefunded credits refund u1 a second time/],
    [
      'an unload whose money was not credited',
      `${account}@6`,
      remove,
      /card-c1@1: 20.00 was taken off the card by u1 and is not credited to an account/,
    ],
    ['an unload captured twice', 'card-c1@4', twice, /@4: CardUnloaded ends unload u1, which is unloaded already/],
    [
      'an unload that was never reserved',
      'card-c1@1',
      remove,
      /@4: CardUnloaded ends unload u1, which was not reserved on this card/,
    ],
    [
      'an unload reserved twice',
      'card-c1@1',
      twice,
      /@1: UnloadReserved reserves the amount of unload u1 a second time/,
    ],
    [
      'a number used twice',
      'card-c1@2',
      set(['order', 'unloadNumber'], 1),
      /@2: UnloadReserved gives the number 1 to a second unload/,
    ],
    [
      'a wrong amount on the card',
      'card-c1@1',
      set(['after', 'available'], '81.00'),
      /@1: .*an available amount of 81.00/,
    ],
    [
      'a completed unload that was released on the card',
      'card-c1@4',
      as('UnloadReleased'),
      /the unload of 20.00 by u1 is released, but its operation is completed/,
    ],
    [
      'a failed unload that was captured on the card',
      'card-c1@5',
      as('CardUnloaded'),
      /the unload of 30.00 by u2 is unloaded, but its operation is failed/,
    ],
    [
      'an unload that was captured without an accepted call',
      'operation-u1@1',
      remove,
      /operation-u1@2: OperationCompleted follows although the operation was not accepted/,
    ],
    [
      'an operation of another type',
      'operation-u1@0',
      set(['order', 'type'], 'service'),
      /the unload of 20.00 by u1 belongs to an operation of type service/,
    ],
    ['an operation of another card', 'operation-u1@0', set(['order', 'cardId'], 'c9'), /an operation of card c9/],
    [
      'an operation of another account',
      'operation-u1@0',
      set(['order', 'accountId'], 'ida-live'),
      /is of a card of account-acme-sandbox, but the order names account-ida-live/,
    ],
    ['an order of another amount', 'operation-u1@0', set(['order', 'total'], '21.00'), /the order's amount of 21.00/],
    [
      'an unload without a reservation on a card',
      'card-c1@3',
      remove,
      /operation-u3@1: nothing was reserved on a card for u3 \(manual_review\)/,
    ],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(changed(unloadLog, at, change))).toMatch(expected);
  });

  it('reports work in progress as such', () => {
    const inProgressOf = (events: typeof unloadLog): string => {
      const { flaws, inProgress } = audit(events);
      expect(flaws).toEqual([]);
      return linesOf(inProgress);
    };
    const unqueued = unloadLog.filter(({ stream }) => stream !== 'operation-u3');
    expect(inProgressOf(unqueued)).toMatch(/the unload of 40.00 by u3 waits for its operation to be queued/);
    const uncompleted = changed(unloadLog, 'operation-u1@2', remove);
    expect(inProgressOf(uncompleted)).toMatch(/is unloaded; its operation \(processing\) is not final yet/);
    const uncredited = changed(uncompleted, `${account}@6`, remove);
    expect(inProgressOf(uncredited)).toMatch(/was taken off the card by u1 and is not credited to an account/);
  });

  describe('with the key of another order', () => {
    const order = { companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox' };
    /** An unload of the card by an operation that is a service, released or not. */
    const onCard = (state: 'released' | 'reserved'): readonly SampleEvent[] => [
      ...unloadLog,
      ...continued(unloadLog, 'card-c1', [
        ['UnloadReserved', undoneUnload('30.00', { order: { ...order, operationId: '2', unloadNumber: 4 } })],
        ...(state === 'released' ? [['UnloadReleased', undoneUnload('40.00', {})] as const] : []),
      ]),
    ];
    const undoneUnload = (available: string, more: object): object => ({
      ...{ cardId: 'c1', operationId: '2', amount: '10.00', ...more, after: { balance: '80.00', available } },
    });

    it('is work in progress until it is released, and afterwards reported as released', () => {
      for (const [state, text] of [
        ['reserved', 'will be released'],
        ['released', 'was released'],
      ] as const) {
        const { flaws, inProgress } = audit(onCard(state));
        expect(flaws).toEqual([]);
        expect(linesOf(inProgress)).toContain(
          `the unload of 10.00 by 2 ${text}, because the operation with this id has another order`,
        );
      }
    });

    it('does not replace the reservation of the operation', () => {
      const withoutReservation = onCard('released').filter(({ data }) => !data.includes('"reservationId":"2"'));
      expect(flawsOf(withoutReservation)).toMatch(/no funds were reserved for operation 2 \(failed\)/);
    });

    it('is a finding if it has taken money off the card', () => {
      const unloaded = changed(onCard('released'), 'card-c1@9', as('CardUnloaded'));
      expect(flawsOf(unloaded)).toMatch(/the unload of 10.00 by 2 belongs to an operation of type/);
    });
  });
});
