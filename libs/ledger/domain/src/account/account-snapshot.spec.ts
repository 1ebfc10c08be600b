import { accountDecider } from './account.decider';
import type { AccountEvent } from './account.messages';

const quota = { name: 'issue 2030-01', limit: 500 };
const requestedAt = '2030-01-01T00:00:00.000Z';
const order = { operationId: 'r2', name: 'Travel' };
const of = (reservationId: string) => ({ reservationId, reference: 'op', amount: '20.00', description: 'Card', quota });
const asked = { fingerprint: 'f2', purpose: order, requestedAt };

const history: readonly AccountEvent[] = [
  {
    type: 'FundsDeposited',
    data: {
      ...{ depositId: 'd1', reference: 'i1', amount: '100.00', fee: '1.00', description: 'Funding', fingerprint: 'f1' },
      after: { available: '99.00', held: '0.00' },
    },
  },
  { type: 'FundsReserved', data: { ...of('r1'), ...asked, after: { available: '79.00', held: '20.00' } } },
  { type: 'FundsReserved', data: { ...of('r2'), ...asked, after: { available: '59.00', held: '40.00' } } },
  { type: 'ReservationCaptured', data: { ...of('r1'), after: { available: '59.00', held: '20.00' } } },
  { type: 'FundsReserved', data: { ...of('r3'), ...asked, after: { available: '39.00', held: '40.00' } } },
  { type: 'ReservationReleased', data: { ...of('r3'), after: { available: '59.00', held: '20.00' } } },
];

/** States are kept in databases. Where this spec fails, raise `stateVersion` as well: kept ones must not be used any more. */
test('version 1 of the state of an account', () => {
  expect(accountDecider.stateVersion).toBe(1);
  expect(history.reduce(accountDecider.evolve, accountDecider.initialState())).toEqual({
    available: 5_900n,
    held: 2_000n,
    deposits: new Map([['d1', 'f1']]),
    open: new Map([['r2', { reference: 'op', amount: '20.00', description: 'Card', quota, requestedAt }]]),
    purposes: new Map([['r2', { fingerprint: 'f2', purpose: order }]]),
    closed: new Map([
      ['r1', { outcome: 'captured', requestedAt }],
      ['r3', { outcome: 'released', requestedAt }],
    ]),
    forgottenUntil: '',
    quotas: new Map([['issue 2030-01', 2]]),
  });
});
