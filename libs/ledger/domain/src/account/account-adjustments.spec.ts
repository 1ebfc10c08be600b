import { specFor } from '@florin/event-sourcing/testing';
import type { OperatorActor } from '@florin/kernel';
import { accountAggregate } from './account.decider';
import type { AccountCommand, AccountEvent, AdjustAccount } from './account.messages';
import { entriesOf } from './statement-entries';

const { given } = specFor(accountAggregate);
const accountId = 'acme-live';
const ida: OperatorActor = { kind: 'operator', id: 'ida' };
const bob: OperatorActor = { kind: 'operator', id: 'bob' };

const after = (available: string, held: string) => ({ after: { available, held } });
const adjustment: Omit<AdjustAccount['data'], 'accountId'> = {
  ...{ adjustmentId: 'a1', direction: 'credit', amount: '100.00', description: 'Refund of a fee', fingerprint: 'f1' },
  ...{ requestedAt: '2030-01-01T00:00:00.000Z', proposedBy: ida, fourEyesAmount: '1000.00' },
};
const adjust = (change: Partial<AdjustAccount['data']> = {}): AccountCommand => ({
  type: 'AdjustAccount',
  data: { accountId, ...adjustment, ...change },
});
const adjusted = (available: string, held: string, change: Partial<AdjustAccount['data']> = {}): AccountEvent => {
  const data = { ...adjustment, ...change };
  return { type: 'AccountAdjusted', data: { ...data, reference: data.adjustmentId, ...after(available, held) } };
};
const debit = { adjustmentId: 'a2', direction: 'debit', fingerprint: 'f2' } as const;

const reservation = { reservationId: 'r1', reference: 'o1', amount: '60.00', description: 'Card', fingerprint: 'r' };
const credited = adjusted('100.00', '0.00');
const reserved: AccountEvent = { type: 'FundsReserved', data: { ...reservation, ...after('40.00', '60.00') } };

describe('AdjustAccount', () => {
  it('credits or debits the available funds', () => {
    given().when(adjust()).then(credited);
    given(credited)
      .when(adjust({ ...debit, amount: '99.99' }))
      .then(adjusted('0.01', '0.00', { ...debit, amount: '99.99' }));
  });

  it('can debit all available funds, and never reserved ones', () => {
    given(credited, reserved)
      .when(adjust({ ...debit, amount: '40.00' }))
      .then(adjusted('0.00', '60.00', { ...debit, amount: '40.00' }));
    given(credited, reserved)
      .when(adjust({ ...debit, amount: '40.01' }))
      .thenRefused('insufficient_funds');
    given()
      .when(adjust({ ...debit, amount: '0.01' }))
      .thenRefused('insufficient_funds');
  });

  it('refuses different data under a known id', () => {
    given(credited)
      .when(adjust({ amount: '100.01', fingerprint: 'other' }))
      .thenRefused('idempotency_conflict');
  });

  it('refuses to exceed the maximum balance', () => {
    given(adjusted('999999999999950.00', '0.00', { adjustmentId: 'a0' }))
      .when(adjust())
      .thenRefused('account_limit_exceeded');
  });

  it('throws on an amount of zero', () => {
    given()
      .when(adjust({ amount: '0.00' }))
      .thenThrows(/adjustment a1 of 0.00/);
  });
});

describe('Four eyes', () => {
  const large = { amount: '1000.00' } as const;

  it('are not needed below the amount', () => {
    given()
      .when(adjust({ amount: '999.99' }))
      .then(adjusted('999.99', '0.00', { amount: '999.99' }));
  });

  it('are two different operators from the amount on', () => {
    given().when(adjust(large)).thenRefused('not_four_eyes');
    given()
      .when(adjust({ ...large, confirmedBy: ida }))
      .thenRefused('not_four_eyes');
    given()
      .when(adjust({ ...large, confirmedBy: bob }))
      .then(adjusted('1000.00', '0.00', { ...large, confirmedBy: bob }));
  });

  it('are switched off by 0', () => {
    const off = { ...large, fourEyesAmount: '0.00' };
    given()
      .when(adjust(off))
      .then(adjusted('1000.00', '0.00', off));
  });
});

describe('The statement', () => {
  it('has one entry for an adjustment, with its id and reason', () => {
    const entry = { kind: 'adjustment', reference: 'a1', description: 'Refund of a fee', heldDelta: 0n, held: 0n };
    expect(entriesOf(credited)).toEqual([{ ...entry, availableDelta: 10_000n, available: 10_000n }]);
    expect(entriesOf(adjusted('0.01', '0.00', { ...debit, amount: '99.99' }))).toEqual([
      { ...entry, reference: 'a2', availableDelta: -9_999n, available: 1n },
    ]);
  });
});
