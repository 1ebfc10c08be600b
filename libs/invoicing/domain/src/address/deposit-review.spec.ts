import { decidedByOne } from '@florin/kernel/testing';
import { specFor } from '@florin/event-sourcing/testing';
import { addressAggregate } from './address.decider';
import { type AddressEvent, type DepositResolved, type ResolveDeposit, type ReturnDeposit } from './address.messages';
import { settlementBy } from './settlement-by';
import { address, claimed, depositOf, expiresAt, lost, matched, unmatched } from './testing/sample-address';

const { given } = specFor(addressAggregate);

const now = '2030-01-02T00:00:00.000Z';
const named = { invoiceId: 'i1', accountId: 'acme-live' };
const odd = unmatched({ amount: '99.000000' }, { reason: 'amount_unknown', forReview: true });
const second = unmatched({ depositId: 'd2' }, { reason: 'paid_already', invoiceId: 'i1', forReview: true });
const returned = unmatched({}, { reason: 'invoice_closed', invoiceId: 'i1', forReview: true });

const resolve = (outcome: 'completed' | 'failed', parts: Partial<ResolveDeposit['data']> = {}): ResolveDeposit => {
  const facts = outcome === 'completed' ? named : {};
  return {
    type: 'ResolveDeposit',
    data: {
      ...{ address, depositId: 'd1', outcome, ...facts, note: 'Checked', requestId: 'q1', now, ...decidedByOne },
      ...parts,
    },
  };
};
const resolved = (outcome: 'completed' | 'failed', requestId = 'q1', depositId = 'd1'): AddressEvent => {
  const facts = outcome === 'completed' ? { ...named, settlement: settlementBy(depositOf()) } : {};
  return {
    type: 'DepositResolved',
    data: { address, depositId, outcome, ...facts, note: 'Checked', requestId, resolvedAt: now, ...decidedByOne },
  };
};
/** Returns a matched deposit, or one attributed by the given request. */
const giveBack = (requestId?: string, invoiceId = 'i1'): ReturnDeposit => {
  return { type: 'ReturnDeposit', data: { address, depositId: 'd1', invoiceId, requestId } };
};

describe('ResolveDeposit', () => {
  const limit = { fourEyesAmount: '99.00' };
  const confirmedBy = { kind: 'operator', id: 'bob' } as const;

  it('takes two operators from the four-eyes amount on', () => {
    given(odd).when(resolve('completed', limit)).thenRefused('not_four_eyes');
    given(odd)
      .when(resolve('completed', { ...limit, confirmedBy: decidedByOne.proposedBy }))
      .thenRefused('not_four_eyes');
    const { data } = resolved('completed') as DepositResolved;
    const decision = { ...limit, confirmedBy, approvalId: 'a1' };
    given(odd)
      .when(resolve('completed', decision))
      .then({ type: 'DepositResolved', data: { ...data, ...decision } });
    given(odd)
      .when(resolve('failed', limit))
      .then({ type: 'DepositResolved', data: { ...(resolved('failed') as DepositResolved).data, ...limit } });
  });

  it('is refused if it names no operator, as in a command of an early release', () => {
    const none = { fourEyesAmount: undefined, proposedBy: undefined } as object;
    given(odd).when(resolve('completed', none)).thenRefused('not_four_eyes');
  });

  it('attributes a deposit to an invoice or to none', () => {
    given(claimed(), odd).when(resolve('completed')).then(resolved('completed'));
    given(claimed(), odd).when(resolve('failed')).then(resolved('failed'));
    given(claimed(), matched(), second)
      .when(resolve('failed', { depositId: 'd2' }))
      .then(resolved('failed', 'q1', 'd2'));
    given(claimed(), matched(), returned).when(resolve('failed')).then(resolved('failed'));
  });

  it('refuses a contrary decision and another invoice', () => {
    const another = { requestId: 'q2' };
    given(claimed(), odd, resolved('completed')).when(resolve('failed', another)).thenRefused('deposit_resolved');
    given(claimed(), odd, resolved('failed')).when(resolve('completed', another)).thenRefused('deposit_resolved');
    given(claimed(), odd, resolved('completed'))
      .when(resolve('completed', { ...another, invoiceId: 'i2' }))
      .thenRefused('deposit_resolved');
  });

  it('records a repeated decision and accepts each request once', () => {
    given(claimed(), odd, resolved('completed'))
      .when(resolve('completed', { requestId: 'q2' }))
      .then(resolved('completed', 'q2'));
    given(claimed(), odd, resolved('completed'), resolved('completed', 'q2')).when(resolve('completed')).then();
  });

  it.each<[string, readonly AddressEvent[]]>([
    ['unknown', []],
    ['matched', [claimed(), matched()]],
    ['unmatched while no claim was watched', [unmatched({}, { reason: 'amount_unknown', forReview: false })]],
  ])('refuses a deposit that is %s', (_, past) => {
    given(...past)
      .when(resolve('failed'))
      .thenRefused('deposit_unknown');
  });

  it('requires an invoice and its account only for an attribution', () => {
    given(claimed(), odd)
      .when(resolve('completed', { invoiceId: undefined }))
      .thenThrows(/resolved as completed/);
    given(claimed(), odd)
      .when(resolve('completed', { accountId: undefined }))
      .thenThrows(/resolved as completed/);
    given(claimed(), odd)
      .when(resolve('failed', named))
      .thenThrows(/resolved as failed/);
  });
});

describe('ReturnDeposit', () => {
  it('sends a matched deposit to review', () => {
    given(claimed(), matched()).when(giveBack()).then(returned);
    const late = matched({ blockTime: expiresAt }, true);
    const lateAgain = unmatched(
      { blockTime: expiresAt },
      { reason: 'invoice_closed', invoiceId: 'i1', forReview: true },
    );
    given(claimed(), lost, late).when(giveBack()).then(lateAgain);
  });

  it('sends an attributed deposit to review again', () => {
    const back = unmatched({ amount: '99.000000' }, { reason: 'invoice_closed', invoiceId: 'i1', forReview: true });
    given(claimed(), odd, resolved('completed')).when(giveBack('q1')).then(back);
    given(claimed(), odd, resolved('completed'), back)
      .when(resolve('failed', { requestId: 'q2' }))
      .then(resolved('failed', 'q2'));
    given(claimed(), odd, resolved('completed'), back).when(resolve('completed')).then();
  });

  it('ignores a deposit that was attributed to another invoice since', () => {
    given(claimed(), odd, resolved('completed')).when(giveBack('q1', 'another')).then();
    given(claimed(), odd, resolved('completed')).when(giveBack('q0')).then();
    given(claimed(), matched(), returned, resolved('completed')).when(giveBack()).then();
    given(claimed(), matched(), returned, resolved('failed')).when(giveBack()).then();
    given(claimed(), odd).when(giveBack()).then();
  });

  it('accepts decisions without request ids', () => {
    const old: AddressEvent = {
      type: 'DepositResolved',
      data: { address, depositId: 'd1', outcome: 'completed', ...named, note: 'Checked', resolvedAt: now },
    };
    const back = unmatched({ amount: '99.000000' }, { reason: 'invoice_closed', invoiceId: 'i1', forReview: true });
    given(claimed(), odd, old).when(giveBack()).then(back);
  });

  it('refuses an unknown deposit', () => {
    given(claimed()).when(giveBack()).thenRefused('deposit_unknown');
  });
});
