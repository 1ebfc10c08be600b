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

describe('deriveCard', () => {
  it('creates the card without the id of the issuer', () => {
    expect(deriveCard(undefined, issued)).toStrictEqual({ type: 'card.created', object: card });
  });

  it('derives an update for each change of status or balance', () => {
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

  it('derives nothing when nothing visible changes', () => {
    expect(deriveCard(card, recorded('100.00', 'declined'))).toBeUndefined();
    expect(deriveCard(card, changed('completed', '100.00'))).toBeUndefined();
    expect(deriveCard(card, wished('CardUnfrozen'))).toBeUndefined();
  });

  it('fails for a change before the creation', () => {
    expect(() => deriveCard(undefined, wished('CardFrozen'))).toThrow(/not published before/);
  });
});

describe('deriveTransaction', () => {
  it('creates the transaction and derives an update for each change of status', () => {
    expect(deriveTransaction(undefined, recorded('87.50'))).toStrictEqual({
      type: 'transaction.created',
      object: transaction,
    });
    expect(deriveTransaction(transaction, changed('completed', '87.50'))).toStrictEqual({
      type: 'transaction.updated',
      object: { ...transaction, status: 'completed' },
    });
  });

  it('derives nothing from other events of the card', () => {
    expect(deriveTransaction(undefined, issued)).toBeUndefined();
    expect(deriveTransaction(transaction, wished('CardFrozen'))).toBeUndefined();
  });
});
