import type { CardEvent, CardPayment, MoneyAfter, PaymentRecorded, TransactionStatus } from '@florin/operations-domain';
import { type CardObject, deriveCard } from './derive-card';
import { deriveTransaction, type TransactionObject } from './derive-transaction';

const createdAt = '2030-01-01T00:00:00.000Z';
const ids = { cardId: 'c1', companyId: 'acme', environment: 'live' } as const;
const shown = { name: 'Travel', holderId: 'h1', last4: '4242', productId: 'virtual-usd', createdAt };
const facts = { accountId: 'acme-live', operationId: 'o1', cardReference: 'crd_secret', amount: '100.00' };
const issued: CardEvent = { type: 'CardIssued', data: { ...ids, ...shown, ...facts } };
const updatedAt = '2030-01-02T00:00:00.000Z';
const card = {
  ...{ id: 'c1', ...shown, updatedAt: createdAt },
  status: 'active',
  balance: '100.00',
  available: '100.00',
  limits: {},
  metadata: {},
} as const;

const payment: CardPayment = {
  ...{ transactionId: 't1', reference: 'txn-1', type: 'purchase', status: 'pending', amount: '12.50' },
  ...{ currency: 'USD', merchant: 'Coffee House', country: 'NL', description: 'Espresso', occurredAt: createdAt },
};
const { transactionId, ...paid } = payment;
const amounts = { authorizedAmount: '12.50', clearedAmount: '0.00' };
const transaction = { id: transactionId, cardId: 'c1', ...paid, ...amounts, updatedAt };

const money = (balance: string, available = balance) => ({ balance, available });
const recorded = (after: MoneyAfter, status: TransactionStatus = 'pending'): CardEvent => ({
  type: 'PaymentRecorded',
  data: { ...ids, payment: { ...payment, status }, authorized: '12.50', cleared: '0.00', after },
});
const changed = (status: TransactionStatus, after: MoneyAfter): CardEvent => ({
  type: 'PaymentChanged',
  data: { ...ids, transactionId, status, after },
});
const wished = (type: 'CardFrozen' | 'CardUnfrozen' | 'CardClosed'): CardEvent => ({
  type,
  data: { ...ids, requestId: 'r1' },
});

describe('deriveCard', () => {
  it('creates the card without the id of the issuer', () => {
    expect(deriveCard(undefined, issued, createdAt)).toStrictEqual({ type: 'card.created', object: card });
  });

  it('derives an update for each change of status or balance', () => {
    const cases: [CardEvent, object][] = [
      [wished('CardFrozen'), { status: 'frozen' }],
      [wished('CardClosed'), { status: 'closed' }],
      [
        { type: 'CardToppedUp', data: { ...ids, operationId: 'o2', amount: '1.00', after: money('101.00') } },
        money('101.00'),
      ],
      [recorded(money('100.00', '87.50')), { available: '87.50' }],
      [changed('reversed', money('112.50')), money('112.50')],
    ];
    for (const [event, change] of cases) {
      const object = { ...card, ...change, updatedAt };
      expect(deriveCard(card, event, updatedAt)).toStrictEqual({ type: 'card.updated', object });
    }
    const unfrozen = deriveCard({ ...card, status: 'frozen' }, wished('CardUnfrozen'), updatedAt);
    expect(unfrozen?.object).toStrictEqual({ ...card, updatedAt });
  });

  it('shows what an event of the first release calls the balance as both amounts', () => {
    const { available: _, updatedAt: __, limits: ___, metadata: ____, ...old } = card;
    const derived = deriveCard(old as CardObject, recorded({ available: '87.50' }), updatedAt);
    expect(derived?.object).toStrictEqual({ ...card, ...money('87.50'), updatedAt });
  });

  it('derives nothing when nothing visible changes', () => {
    expect(deriveCard(card, recorded(money('100.00'), 'declined'), updatedAt)).toBeUndefined();
    expect(deriveCard(card, changed('completed', money('100.00')), updatedAt)).toBeUndefined();
    expect(deriveCard(card, wished('CardUnfrozen'), updatedAt)).toBeUndefined();
  });

  it('fails for a change before the creation', () => {
    expect(() => deriveCard(undefined, wished('CardFrozen'), updatedAt)).toThrow(/not published before/);
  });
});

describe('deriveTransaction', () => {
  it('creates the transaction and derives an update for each change of status and amounts', () => {
    expect(deriveTransaction(undefined, recorded(money('87.50')), updatedAt)).toStrictEqual({
      type: 'transaction.created',
      object: transaction,
    });
    const cleared = (status: 'pending' | 'completed', sum: string): CardEvent => ({
      type: 'PaymentChanged',
      data: { ...ids, transactionId, status, cleared: sum, after: money('87.50') },
    });
    const later = '2030-01-03T00:00:00.000Z';
    for (const [event, change] of [
      [cleared('pending', '2.50'), { clearedAmount: '2.50' }],
      [cleared('completed', '12.50'), { status: 'completed', clearedAmount: '12.50' }],
    ] as const) {
      expect(deriveTransaction(transaction, event, later)).toStrictEqual({
        type: 'transaction.updated',
        object: { ...transaction, ...change, updatedAt: later },
      });
    }
  });

  it('shows neither the clearing nor the refunded transaction, which are internal ids', () => {
    const event = recorded(money('87.50')) as PaymentRecorded;
    const details = { merchantCategory: '5814', originalAmount: '11.00', originalCurrency: 'EUR' };
    const clearing = { clearingId: 'k1', final: true };
    const detailed: PaymentRecorded = {
      ...event,
      data: {
        ...event.data,
        payment: { ...event.data.payment, ...details, clearing, refundOf: 't0' },
        declineReason: 'limit_exceeded',
      },
    };
    const object = { ...transaction, ...details, declineReason: 'limit_exceeded' };
    expect(deriveTransaction(undefined, detailed, updatedAt)?.object).toStrictEqual(object);
  });

  it('adds the amounts to objects and events of the first release', () => {
    const { authorizedAmount: _, clearedAmount: __, updatedAt: ___, ...old } = transaction;
    const derived = deriveTransaction(
      old as TransactionObject,
      changed('completed', { available: '87.50' }),
      updatedAt,
    );
    expect(derived?.object).toStrictEqual({ ...transaction, status: 'completed', clearedAmount: '12.50' });
    const reversed = deriveTransaction(derived?.object, changed('reversed', { available: '100.00' }), updatedAt);
    expect(reversed?.object).toStrictEqual({ ...transaction, status: 'reversed' });
  });

  it('derives nothing from other events of the card', () => {
    expect(deriveTransaction(undefined, issued, updatedAt)).toBeUndefined();
    expect(deriveTransaction(transaction, wished('CardFrozen'), updatedAt)).toBeUndefined();
  });
});
