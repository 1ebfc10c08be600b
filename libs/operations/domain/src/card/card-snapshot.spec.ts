import { expectPinnedState } from '@florin/event-sourcing/testing';
import { deterministicId } from '@florin/kernel';
import { cardAggregate } from './card.decider';
import type { CardEvent, CardIssued, CardPayment } from './card.messages';

const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;
const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const at = (ms: number): string => new Date(startMs + ms).toISOString();

const issued: CardIssued = {
  type: 'CardIssued',
  data: {
    ...owner,
    ...{ accountId: 'acme-sandbox', operationId: 'op1', holderId: 'h1', productId: 'virtual' },
    ...{ name: 'Travel', last4: '4242', amount: '100.00', createdAt: at(0) },
  },
};

describe('The state of a card in a snapshot', () => {
  const payment: CardPayment = {
    ...{ transactionId: 't1', reference: 'ref-1', type: 'purchase', status: 'pending', amount: '30.00' },
    ...{ currency: 'USD', merchant: 'Bakery', country: 'NL', description: 'Bread', occurredAt: at(0) },
  };
  const history: readonly CardEvent[] = [
    issued,
    { type: 'CardToppedUp', data: { ...owner, operationId: 'op2', amount: '1.00', balance: '101.00' } },
    { type: 'CardFrozen', data: { ...owner, requestId: deterministicId('old') } },
    { type: 'CardUnfrozen', data: { ...owner, requestId: 'r1', requestedAt: at(1), balance: '101.00' } },
    { type: 'PaymentRecorded', data: { ...owner, payment, balance: '71.00' } },
    { type: 'PaymentChanged', data: { ...owner, transactionId: 't1', status: 'completed', balance: '71.00' } },
    { type: 'CardClosed', data: { ...owner, requestId: 'r2', requestedAt: at(2), balance: '71.00' } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(cardAggregate, history, {
      stateVersion: 1,
      hash: 'ac9ea7d0c332622b23a0d87dd72672d7f71fa74615a9a28dd288f388125021b4',
    });
  });
});
