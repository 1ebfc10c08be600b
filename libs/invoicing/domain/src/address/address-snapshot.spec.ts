import { expectPinnedState } from '@florin/event-sourcing/testing';
import { addressAggregate } from './address.decider';
import type { AddressEvent } from './address.messages';
import type { AddressState } from './address.state';
import { address, claimed, lost, matched, unmatched } from './testing/sample-address';

const february = '2030-02-01T12:00:00.000Z';
const inFebruary = {
  claimedAt: february,
  expiresAt: '2030-02-01T13:00:00.000Z',
  watchedUntil: '2030-02-08T13:00:00.000Z',
};
const resolved = { address, depositId: 'd2', note: 'sent back', requestId: 'q1', resolvedAt: february };

const history: readonly AddressEvent[] = [
  claimed(),
  claimed({ invoiceId: 'i2', payAmount: '200.000001' }),
  lost,
  matched({}, true),
  unmatched({ depositId: 'd2', amount: '5.000000' }, { reason: 'amount_unknown', forReview: true }),
  unmatched({ depositId: 'd3', amount: '6.000000' }, { reason: 'amount_unknown', forReview: false }),
  { type: 'DepositResolved', data: { ...resolved, outcome: 'failed' } },
  claimed({ invoiceId: 'i3', payAmount: '300.000001', ...inFebruary }),
  claimed({ invoiceId: 'i4', payAmount: '400.000001', ...inFebruary }),
  { type: 'ClaimShortened', data: { address, invoiceId: 'i4', expiresAt: '2030-02-01T12:30:00.000Z' } },
  { type: 'AmountsFreed', data: { address, readTo: '2030-01-09T00:00:00.000Z' } },
  unmatched({ depositId: 'd4', blockTime: february }, { reason: 'paid_already', invoiceId: 'i1', forReview: true }),
];

const state: AddressState = history.reduce(addressAggregate.evolve, addressAggregate.initialState());

describe('the snapshot of an address', () => {
  it('covers all events, including freed amounts and forgotten deposits', () => {
    expect([...state.claims.keys()]).toEqual(['300.000001', '400.000001']);
    expect([...state.amounts.keys()]).toEqual(['i3', 'i4']);
    expect([...state.deposits.keys()]).toEqual(['d4']);
    expect([...state.reviews.keys()]).toEqual(['d2', 'd4']);
    expect(state.freedUntil).toBe('2030-01-09T00:00:00.000Z');
  });

  it('matches its version', () => {
    expectPinnedState(addressAggregate, history, {
      stateVersion: 2,
      hash: '9738df60b812463ffd81a359d2f178f3e5e03495a5a44d237f67e9877f7d540d',
    });
  });
});
