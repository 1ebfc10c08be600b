import { expectPinnedState } from '@florin/event-sourcing/testing';
import { deterministicId } from '@florin/kernel';
import { cardAggregate } from './card.decider';
import type { CardEvent, CardIssued, CardPayment } from './card.messages';
import { cardUnloaded, unloadOrder, unloadReleased, unloadReserved } from './testing/sample-card';

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

const after = (balance: string) => ({ balance, available: balance });

const change = (requestId: string, ms: number) => ({
  ...owner,
  ...{ requestId, requestedAt: at(ms), after: after('71.00') },
});

describe('The state of a card in a snapshot', () => {
  const payment: CardPayment = {
    ...{ transactionId: 't1', reference: 'ref-1', type: 'purchase', status: 'pending', amount: '30.00' },
    ...{ currency: 'USD', merchant: 'Bakery', country: 'NL', description: 'Bread', occurredAt: at(0) },
  };
  const amounts = { authorized: '30.00', cleared: '0.00' };
  const history: readonly CardEvent[] = [
    issued,
    { type: 'CardToppedUp', data: { ...owner, operationId: 'op2', amount: '1.00', after: after('101.00') } },
    { type: 'CardFrozen', data: { ...owner, requestId: deterministicId('old') } },
    { type: 'CardUnfrozen', data: { ...owner, requestId: 'r1', requestedAt: at(1), after: after('101.00') } },
    { type: 'PaymentRecorded', data: { ...owner, payment, ...amounts, after: { available: '71.00' } } },
    { type: 'PaymentChanged', data: { ...owner, transactionId: 't1', status: 'completed', after: after('71.00') } },
    { type: 'TopupStarted', data: { ...owner, operationId: 'op3', amount: '2.00' } },
    { type: 'TopupStarted', data: { ...owner, operationId: 'op4', amount: '2.00' } },
    { type: 'TopupCanceled', data: { ...owner, operationId: 'op4' } },
    unloadReserved(unloadOrder('op5', '1.00'), 1, '71.00', '70.00'),
    unloadReserved(unloadOrder('op6', '2.00'), 2, '71.00', '68.00'),
    unloadReserved(unloadOrder('op7', '3.00'), 3, '71.00', '65.00'),
    cardUnloaded(unloadOrder('op5', '1.00'), 1, '70.00', '65.00'),
    unloadReleased(unloadOrder('op6', '2.00'), '70.00', '67.00'),
    { type: 'CardActivated', data: { ...change('s1', 3), status: 'active' } },
    { type: 'CardBlocked', data: { ...change('s2', 4), status: 'blocked', occurredAt: at(4) } },
    { type: 'CardUnblocked', data: { ...change('s3', 5), status: 'active' } },
    { type: 'CardExpired', data: { ...change('s4', 6), status: 'expired' } },
    {
      type: 'CardChanged',
      data: { ...change('p1', 7), name: 'Team', limits: { daily: '5.00' }, metadata: { a: 'b' } },
    },
    { type: 'CardClosed', data: { ...owner, requestId: 'r2', requestedAt: at(2), after: after('71.00') } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(cardAggregate, history, {
      stateVersion: 4,
      hash: '137ffc4544839bf8b0500dd916d88af48fdc398bbe0e1e013662c7dfc07a03be',
    });
  });
});
