import type { CardEvent, CardPayment, TransactionStatus } from '@florin/operations-domain';
import { deriveCard } from './derive-card';
import { deriveTransaction } from './derive-transaction';

const createdAt = '2030-01-01T00:00:00.000Z';
const ids = { cardId: 'c1', companyId: 'acme', environment: 'live' } as const;
const shown = { name: 'Travel', holderId: 'h1', last4: '4242', productId: 'virtual-usd', createdAt };
const facts = { accountId: 'acme-live', operationId: 'o1', cardReference: 'crd_secret', amount: '100.00' };
const issued: CardEvent = { type: 'CardIssued', data: { ...ids, ...shown, ...facts } };
const card = { id: 'c1', ...shown, status: 'active', balance: '100.00' } as const;

const payment: CardPayment = {
  ...{ transactionId: 't1', reference: 'txn-1', type: 'purchase', status: 'pending', amount: '12.50' },
  ...{ currency: 'USD', merchant: 'Coffee House', country: 'NL', description: 'Espresso', occurredAt: createdAt },
};
const { transactionId, ...paid } = payment;
const transaction = { id: transactionId, cardId: 'c1', ...paid };

const recorded = (balance: string, status: TransactionStatus = 'pending'): CardEvent => ({
  type: 'PaymentRecorded',
  data: { ...ids, payment: { ...payment, status }, balance },
});
const changed = (status: TransactionStatus, balance: string): CardEvent => ({
  type: 'PaymentChanged',
  data: { ...ids, transactionId, status, balance },
});
const wished = (type: 'CardFrozen' | 'CardUnfrozen' | 'CardClosed'): CardEvent => ({
  type,
  data: { ...ids, requestId: 'r1' },
});

describe('What is told of a card', () => {
  it('begins with its issue, without what the issuer calls it', () => {
    expect(deriveCard(undefined, issued)).toStrictEqual({ type: 'card.created', object: card });
  });

  it('is every change of its status or its balance', () => {
    const cases: [CardEvent, object][] = [
      [wished('CardFrozen'), { status: 'frozen' }],
      [wished('CardClosed'), { status: 'closed' }],
      [
        { type: 'CardToppedUp', data: { ...ids, operationId: 'o2', amount: '1.00', balance: '101.00' } },
        { balance: '101.00' },
      ],
      [recorded('87.50'), { balance: '87.50' }],
      [changed('reversed', '112.50'), { balance: '112.50' }],
    ];
    for (const [event, change] of cases) {
      expect(deriveCard(card, event)).toStrictEqual({ type: 'card.updated', object: { ...card, ...change } });
    }
    expect(deriveCard({ ...card, status: 'frozen' }, wished('CardUnfrozen'))?.object).toStrictEqual(card);
  });

  it('is nothing where nothing of it changes', () => {
    expect(deriveCard(card, recorded('100.00', 'declined'))).toBeUndefined();
    expect(deriveCard(card, changed('completed', '100.00'))).toBeUndefined();
    expect(deriveCard(card, wished('CardUnfrozen'))).toBeUndefined();
  });

  it('cannot begin in the middle', () => {
    expect(() => deriveCard(undefined, wished('CardFrozen'))).toThrow(/no event has told of/);
  });
});

describe('What is told of a transaction', () => {
  it('is the payment as the card took it, then each change of its status', () => {
    expect(deriveTransaction(undefined, recorded('87.50'))).toStrictEqual({
      type: 'transaction.created',
      object: transaction,
    });
    expect(deriveTransaction(transaction, changed('completed', '87.50'))).toStrictEqual({
      type: 'transaction.updated',
      object: { ...transaction, status: 'completed' },
    });
  });

  it('is nothing that happens to the card alone', () => {
    expect(deriveTransaction(undefined, issued)).toBeUndefined();
    expect(deriveTransaction(transaction, wished('CardFrozen'))).toBeUndefined();
  });
});
