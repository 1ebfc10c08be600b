import { specFor } from '@florin/event-sourcing/testing';
import type { CardPayment } from '../card/card.messages';
import { transactionAggregate } from './transaction.decider';
import { type ClaimTransaction, type TransactionClaimed } from './transaction.messages';

const { given } = specFor(transactionAggregate);

const payment: CardPayment = {
  transactionId: 't1',
  reference: 'ref-1',
  type: 'purchase',
  status: 'pending',
  amount: '5.00',
  currency: 'USD',
  merchant: 'Bakery',
  country: 'NL',
  description: 'Bread',
  occurredAt: '2030-01-01T00:00:00.000Z',
};
const facts = { transactionId: 't1', cardId: 'c1', accountId: 'acme-sandbox', payment, fingerprint: 'f1' };
const claim = (changes: Partial<ClaimTransaction['data']> = {}): ClaimTransaction => ({
  type: 'ClaimTransaction',
  data: { ...facts, ...changes },
});
const claimed: TransactionClaimed = { type: 'TransactionClaimed', data: facts };

describe('A transaction', () => {
  it('is claimed once', () => {
    given().when(claim()).then(claimed);
  });

  it('keeps its first claim when a later report of the payment has another status', () => {
    given(claimed)
      .when(claim({ payment: { ...payment, status: 'completed' } }))
      .then();
    expect(transactionAggregate.evolve(undefined, claimed)).toEqual(claim().data);
  });

  it('accepts a clearing of another amount, but not with another card', () => {
    const clearing = { ...payment, amount: '6.00', clearing: { clearingId: 'k1', final: true } };
    given(claimed)
      .when(claim({ fingerprint: 'f2', payment: clearing }))
      .then();
    given(claimed)
      .when(claim({ fingerprint: 'f2', payment: clearing, cardId: 'c2' }))
      .thenRefused('idempotency_conflict');
  });

  it('is found without a fingerprint, if it was claimed with this card before', () => {
    given(claimed)
      .when(claim({ fingerprint: undefined }))
      .then();
    given()
      .when(claim({ fingerprint: undefined }))
      .thenRefused('not_found');
    given(claimed)
      .when(claim({ fingerprint: undefined, cardId: 'c2' }))
      .thenRefused('idempotency_conflict');
  });

  it('refuses different data, and another card even with the same fingerprint', () => {
    given(claimed)
      .when(claim({ fingerprint: 'f2' }))
      .thenRefused('idempotency_conflict');
    given(claimed)
      .when(claim({ cardId: 'c2' }))
      .thenRefused('idempotency_conflict');
  });
});
