import { specFor } from '@florin/event-sourcing/testing';
import { addressAnswer, addressAggregate } from './address.decider';
import { type AddressEvent, type CloseClaims, type Deposit } from './address.messages';
import type { AddressState } from './address.state';
import { distinctAmounts } from './pay-amount';
import {
  address,
  beforeExpiry,
  claim,
  claimed,
  claimedAt,
  claimFor,
  depositOf,
  expiresAt,
  lost,
  matched,
  recording,
  unmatched,
  watchedUntil,
} from './testing/sample-address';

const { given } = specFor(addressAggregate, { lastingFacts: ['CloseClaims'] });

const stateAfter = (...events: readonly AddressEvent[]): AddressState =>
  events.reduce(addressAggregate.evolve, addressAggregate.initialState());
const close = (readTo: string): CloseClaims => ({ type: 'CloseClaims', data: { address, readTo } });
const freed = (readTo: string): AddressEvent => ({ type: 'AmountsFreed', data: { address, readTo } });

describe('a claim', () => {
  const drawn = '100.000001';
  const next = '100.000002';

  it('gets the amount that was drawn, regardless of the invoice id', () => {
    given()
      .when(claimFor('i2'))
      .then(claimed({ invoiceId: 'i2', payAmount: drawn }));
    given()
      .when(claimFor('i3', { draw: 3_123 }))
      .then(claimed({ invoiceId: 'i3', payAmount: '100.003127' }));
  });

  it('gets the next amount when that is taken', () => {
    given(claimed({ invoiceId: 'other', payAmount: drawn }))
      .when(claimFor('i2'))
      .then(claimed({ invoiceId: 'i2', payAmount: next }));
  });

  it.each([-1, distinctAmounts])('fails for the draw %s', (draw) => {
    given()
      .when(claimFor('i2', { draw }))
      .thenThrows(/is not an amount/);
  });

  it('returns its amount, also when repeated', () => {
    const state = stateAfter(claimed({ invoiceId: 'i2' }));
    expect(addressAnswer(state, claimFor('i2'))).toEqual({ payAmount: claim.payAmount });
  });

  it('is refused only when all 9,990 amounts are taken', () => {
    const all = Array.from({ length: 9_999 }, (_, index) => `100.${String(index + 1).padStart(6, '0')}`);
    const taken = all
      .filter((payAmount) => !payAmount.endsWith('000'))
      .map((payAmount, index) => claimed({ invoiceId: `t${index}`, payAmount }));
    expect(taken).toHaveLength(9_990);
    given(...taken.slice(1))
      .when(claimFor('last'))
      .then(claimed({ invoiceId: 'last', payAmount: '100.000001' }));
    given(...taken)
      .when(claimFor('last'))
      .thenRefused('address_full');
    given(...taken)
      .when(claimFor('other', { depositAmount: '101.00' }))
      .then(claimed({ invoiceId: 'other', payAmount: '101.000001' }));
  });

  const again = claimFor('i2', { readTo: watchedUntil });
  const sameAmount = claimed({ invoiceId: 'other', payAmount: drawn });

  it('keeps its amount during the watch period and frees it afterwards', () => {
    const lostAt = (readTo: string): AddressEvent => {
      return { type: 'ClaimLost', data: { address, invoiceId: 'other', accountId: claim.accountId, readTo } };
    };
    const early = claimFor('i2', { readTo: '2030-01-08T12:59:59.999Z' });
    given(sameAmount, lostAt(expiresAt))
      .when(early)
      .then(claimed({ invoiceId: 'i2', payAmount: next }));
    given(sameAmount, lostAt(expiresAt))
      .when(again)
      .then(freed(watchedUntil), claimed({ invoiceId: 'i2', payAmount: drawn }));
    given(sameAmount)
      .when(again)
      .then(lostAt(watchedUntil), freed(watchedUntil), claimed({ invoiceId: 'i2', payAmount: drawn }));
  });

  it('fails for a watch period that ends before the expiry', () => {
    given()
      .when(claimFor('i2', { watchedUntil: claimedAt }))
      .thenThrows(/expires before the end of its watch/);
  });
});

describe('a deposit', () => {
  it.each([
    ['long before', claimedAt, false],
    ['just before', beforeExpiry, false],
    ['when', expiresAt, true],
    ['long after', '2030-01-05T00:00:00.000Z', true],
  ])('of the exact amount, %s the invoice expires, is matched', (_, blockTime, late) => {
    given(claimed()).when(recording({ blockTime })).then(matched({ blockTime }, late));
    const state = stateAfter(claimed(), matched({ blockTime }, late));
    expect(addressAnswer(state, recording())).toEqual({ payment: { invoiceId: 'i1', late } });
  });

  it('is late when the claim is lost, regardless of its block time', () => {
    given(claimed(), lost).when(recording()).then(matched({}, true));
    given(claimed(), lost)
      .when(recording({ blockTime: watchedUntil }))
      .then(matched({ blockTime: watchedUntil }, true));
  });

  it.each(['100.003126', '100.003128', '50.001563', '100.000000', '1000.031270'])('of %s is unmatched', (amount) => {
    const found = unmatched({ amount }, { reason: 'amount_unknown', forReview: true });
    given(claimed()).when(recording({ amount })).then(found);
    expect(addressAnswer(stateAfter(claimed(), found), recording({ amount }))).toEqual({});
  });

  it('needs no review when no claim is being watched', () => {
    const late: Partial<Deposit> = { amount: '1.000000', blockTime: watchedUntil };
    given(claimed())
      .when(recording(late))
      .then(unmatched(late, { reason: 'amount_unknown', forReview: false }));
    given()
      .when(recording())
      .then(unmatched({}, { reason: 'amount_unknown', forReview: false }));
  });

  it('pays an invoice once: a second deposit of the same amount goes to review', () => {
    for (const past of [matched(), matched({ blockTime: expiresAt }, true)]) {
      const second = { depositId: 'd2', logIndex: 1 };
      const facts = { reason: 'paid_already', invoiceId: 'i1', forReview: true } as const;
      given(claimed(), past).when(recording(second)).then(unmatched(second, facts));
    }
  });

  it('from long before the claim is unmatched, with a tolerance for clock skew', () => {
    const before = { blockTime: '2030-01-01T11:49:59.999Z' };
    const justBefore = { blockTime: '2030-01-01T11:50:00.000Z' };
    given(claimed())
      .when(recording(before))
      .then(unmatched(before, { reason: 'amount_unknown', forReview: true }));
    given(claimed()).when(recording(justBefore)).then(matched(justBefore));
  });

  it('of a freed amount is unmatched until the amount is claimed again', () => {
    const past = [claimed(), lost, freed(watchedUntil)];
    const later = { blockTime: '2030-01-08T14:30:00.000Z' };
    given(...past)
      .when(recording(later))
      .then(unmatched(later, { reason: 'amount_unknown', forReview: false }));
    const times = { claimedAt: '2030-01-08T14:00:00.000Z', expiresAt: '2030-01-08T15:00:00.000Z' };
    const next = { invoiceId: 'i2', ...times, watchedUntil: '2030-01-15T15:00:00.000Z' };
    const { accountId } = claim;
    given(...past, claimed(next))
      .when(recording(later))
      .then({
        type: 'DepositMatched',
        data: { address, deposit: depositOf(later), invoiceId: 'i2', accountId, late: false },
      });
  });

  it('is recognized as a duplicate for 30 days and rejected after that', () => {
    const aMonthLater = { depositId: 'd2', amount: '1.000000', blockTime: '2030-01-31T12:30:00.000Z' };
    const later = { ...aMonthLater, blockTime: '2030-01-31T12:30:00.001Z' };
    const nobodys = { reason: 'amount_unknown', forReview: false } as const;
    given(claimed(), matched(), unmatched(aMonthLater, nobodys)).when(recording()).then();
    given(claimed(), matched(), unmatched(later, nobodys))
      .when(recording())
      .thenThrows(/too old to detect/);
    given(claimed(), matched(), unmatched(later, nobodys))
      .when(recording({ depositId: 'd3' }))
      .thenThrows(/too old/);
  });

  it('in review is recognized as a duplicate without a time limit', () => {
    const review = unmatched({ amount: '99.000000' }, { reason: 'amount_unknown', forReview: true });
    const later = { depositId: 'd2', amount: '1.000000', blockTime: '2031-01-01T00:00:00.000Z' };
    given(claimed(), review, unmatched(later, { reason: 'amount_unknown', forReview: false }))
      .when(recording({ amount: '99.000000' }))
      .then();
  });
});

describe('CloseClaims', () => {
  it('ends open claims exactly at their expiry', () => {
    given(claimed()).when(close(beforeExpiry)).then();
    given(claimed()).when(close(expiresAt)).then(lost);
    given(claimed(), matched()).when(close(expiresAt)).then();
    given(claimed(), matched({ blockTime: expiresAt }, true))
      .when(close(expiresAt))
      .then();
    given(claimed(), lost)
      .when(close(watchedUntil.replace('08T13', '08T12')))
      .then();
  });

  it('ends each claim by its own time', () => {
    const longer = claimed({ invoiceId: 'i2', payAmount: '100.000001', expiresAt: '2030-01-01T14:00:00.000Z' });
    given(longer, claimed()).when(close(expiresAt)).then(lost);
  });

  it('frees amounts once, at the end of their watch period', () => {
    given(claimed(), lost).when(close(watchedUntil)).then(freed(watchedUntil));
    given(claimed(), matched()).when(close(watchedUntil)).then(freed(watchedUntil));
    const state = stateAfter(claimed(), lost, freed(watchedUntil));
    expect(state.claims.size + state.amounts.size).toBe(0);
  });
});
