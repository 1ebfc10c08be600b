import { specFor } from '@florin/event-sourcing/testing';
import { isRefusal } from '@florin/kernel';
import { cardAggregate } from './card.decider';
import type { CardEvent, CardPayment, CloseCard, TopupStarted } from './card.messages';
import { accountId, cardUnloaded, issued, owner, unloadOrder, unloadReserved } from './testing/sample-card';

const { given } = specFor(cardAggregate);

const close = (changes: Partial<CloseCard['data']> = {}): CloseCard => ({
  type: 'CloseCard',
  data: { cardId: 'c1', accountId, requestId: 'r1', ...changes },
});
const all = unloadOrder('op1', '100.00');
const reserved = unloadReserved(all, 1, '100.00', '0.00');
const emptied = [reserved, cardUnloaded(all, 1, '0.00', '0.00')];
const zero = { balance: '0.00', available: '0.00' };
const closed: CardEvent = { type: 'CardClosed', data: { ...owner, requestId: 'r1', after: zero } };
const payment: CardPayment = {
  ...{ transactionId: 't1', reference: 't1', type: 'verification', status: 'pending', amount: '1.00' },
  ...{ currency: 'USD', merchant: '', country: 'NL', description: '', occurredAt: '2030-01-01T00:00:00.000Z' },
};
const pending: CardEvent = {
  type: 'PaymentRecorded',
  data: { ...owner, payment, authorized: '0.00', cleared: '0.00', after: zero },
};
const started: TopupStarted = { type: 'TopupStarted', data: { ...owner, operationId: 'op2', amount: '50.00' } };

const messageOf = (past: readonly CardEvent[], command: CloseCard): string => {
  const decision = cardAggregate.decide(command, past.reduce(cardAggregate.evolve, cardAggregate.initialState()));
  return isRefusal(decision) ? decision.message : '';
};

describe('CloseCard', () => {
  it('closes an empty card, and repeats it', () => {
    given(issued, ...emptied)
      .when(close())
      .then(closed);
    given(issued, ...emptied, closed)
      .when(close())
      .then();
    given(issued, ...emptied, closed)
      .when(close({ requestId: 'r2' }))
      .then({ type: 'CardClosed', data: { ...owner, requestId: 'r2', after: zero } });
  });

  it('returns the first response to a repeat, even if something has started since', () => {
    given(issued, ...emptied, closed)
      .when(close({ unfinishedOperations: 1 }))
      .then();
  });

  it.each<[string, readonly CardEvent[], CloseCard, RegExp]>([
    ['money', [issued], close(), /has a balance of 100.00: unload it first/],
    ['a reserved unload', [issued, reserved], close(), /a balance of 100.00 and 1 pending operations/],
    ['a pending transaction', [issued, ...emptied, pending], close(), /has 1 pending transactions/],
    ['a started top-up', [issued, ...emptied, started], close(), /has 1 pending operations/],
    ['an unfinished operation', [issued, ...emptied], close({ unfinishedOperations: 2 }), /has 2 pending operations/],
  ])('refuses a card with %s', (_, past, command, message) => {
    given(...past)
      .when(command)
      .thenRefused('card_not_empty');
    expect(messageOf(past, command)).toMatch(message);
  });
});
