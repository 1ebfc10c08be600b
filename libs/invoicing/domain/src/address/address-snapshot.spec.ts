import { addressDecider } from './address.decider';
import type { AddressEvent } from './address.messages';
import { address, claim, claimed, depositOf, lost, matched, unmatched, watchedUntil } from './testing/sample-address';

const stray = { depositId: 'd2', amount: '5.000000' };
const open = { ...claim, invoiceId: 'i2', payAmount: '200.000001' };

const history: readonly AddressEvent[] = [
  claimed(),
  claimed(open),
  lost,
  matched({}, true),
  unmatched(stray, { reason: 'amount_unknown', forReview: true }),
  {
    type: 'DepositResolved',
    data: { address, depositId: 'd2', outcome: 'failed', note: 'sent back', requestId: 'q1', resolvedAt: watchedUntil },
  },
  claimed({ invoiceId: 'i3', payAmount: '300.000001', watchedUntil: '2030-02-08T13:00:00.000Z' }),
  { type: 'AmountsFreed', data: { address, readTo: '2030-01-02T00:00:00.000Z' } },
];

/** States are kept in databases. Where this spec fails, raise `stateVersion` as well: kept ones must not be used any more. */
test('version 1 of the state of an address', () => {
  expect(addressDecider.stateVersion).toBe(1);
  expect(history.reduce(addressDecider.evolve, addressDecider.initialState())).toEqual({
    claims: new Map([
      ['100.003127', { ...claim, phase: 'paid' }],
      ['200.000001', { ...open, phase: 'open' }],
      [
        '300.000001',
        {
          ...{ ...claim, invoiceId: 'i3', payAmount: '300.000001', phase: 'open' },
          watchedUntil: '2030-02-08T13:00:00.000Z',
        },
      ],
    ]),
    amounts: new Map([
      ['i1', '100.003127'],
      ['i2', '200.000001'],
      ['i3', '300.000001'],
    ]),
    freedUntil: '2030-01-02T00:00:00.000Z',
    watchedUntil: '2030-02-08T13:00:00.000Z',
    deposits: new Map([
      [
        'd1',
        { blockTime: depositOf().blockTime, matched: { deposit: depositOf(), invoiceId: claim.invoiceId, late: true } },
      ],
      ['d2', { blockTime: depositOf().blockTime, matched: undefined }],
    ]),
    newestBlockTime: depositOf().blockTime,
    reviews: new Map([
      [
        'd2',
        {
          deposit: depositOf(stray),
          resolution: { outcome: 'failed', invoiceId: undefined, requestId: 'q1' },
          granted: ['q1'],
        },
      ],
    ]),
  });
});
