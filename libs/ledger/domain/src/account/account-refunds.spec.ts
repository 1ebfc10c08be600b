import { specFor } from '@florin/event-sourcing/testing';
import { accountAggregate } from './account.decider';
import type { AccountCommand, AccountEvent, FundsRefunded } from './account.messages';
import { maximumBalance } from './account.state';
import { entriesOf } from './statement-entries';

const { given } = specFor(accountAggregate);
const accountId = 'acme-sandbox';

const refund = {
  refundId: 'op1',
  reference: 'op1',
  cardId: 'c1',
  unloadNumber: 1,
  amount: '40.00',
  description: 'Card unload',
};
const refunded = (available: string, changes: Partial<typeof refund> = {}): FundsRefunded => ({
  type: 'FundsRefunded',
  data: { ...refund, ...changes, after: { available, held: '0.00' } },
});
const credit = (changes: Partial<typeof refund> = {}): AccountCommand => ({
  type: 'CreditRefund',
  data: { accountId, ...refund, ...changes },
});

describe('CreditRefund', () => {
  it('credits the amount', () => {
    given().when(credit()).then(refunded('40.00'));
  });

  it('credits every number of every card once', () => {
    const second = { refundId: 'op2', reference: 'op2', unloadNumber: 2 };
    const otherCard = { refundId: 'op3', reference: 'op3', cardId: 'c2' };
    given(refunded('40.00')).when(credit(second)).then(refunded('80.00', second));
    given(refunded('40.00')).when(credit(otherCard)).then(refunded('80.00', otherCard));
    given(refunded('40.00'), refunded('80.00', second), refunded('120.00', otherCard)).when(credit()).then();
  });

  it('accepts numbers in any order', () => {
    const later = { refundId: 'op9', reference: 'op9', unloadNumber: 900 };
    given(refunded('40.00', later)).when(credit()).then(refunded('80.00'));
    given(refunded('40.00', later), refunded('80.00')).when(credit(later)).then();
  });

  it('recognizes a repeat after ten thousand refunds', () => {
    const history = Array.from({ length: 10_000 }, (_, index) => refunded('40.00', { unloadNumber: index + 1 }));
    given(...history)
      .when(credit())
      .then();
  });

  it('is not limited by the maximum balance', () => {
    const data = { depositId: 'd', reference: 'd', fee: '0.00', description: '', fingerprint: 'f' };
    const full: AccountEvent = {
      type: 'FundsDeposited',
      data: { ...data, amount: '1.00', after: { available: '1000000000000000.00', held: '0.00' } },
    };
    expect(maximumBalance).toBe(100_000_000_000_000_000n);
    given(full).when(credit()).then(refunded('1000000000000040.00'));
  });

  it.each([{ amount: '0.00' }, { unloadNumber: 0 }, { unloadNumber: 1.5 }])('throws on %j', (changes) => {
    given()
      .when(credit(changes))
      .thenThrows(/Invariant/);
  });
});

describe('The statement', () => {
  it('has one entry for a refund, with the id of the operation', () => {
    const entry = { kind: 'refund', reference: 'op1', description: 'Card unload', heldDelta: 0n, held: 0n };
    expect(entriesOf(refunded('40.00'))).toEqual([{ ...entry, availableDelta: 4_000n, available: 4_000n }]);
  });
});
