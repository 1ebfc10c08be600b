import { deserialize, serialize } from 'node:v8';
import { AuditedCards } from './audited-cards';
import { AuditedPayments } from './audited-payments';
import { noMoney } from './card-money';
import type { PaymentOnCard } from './payment-audit';
import { restoreInto } from './restore';

const cardStream = 'card-5a0e0000-0000-4000-8000-000000000001';
const id = '5a0e0000-0000-4000-8000-000000000002';
const claim = { cardStream, type: 'purchase', amount: 12_50n };

function paymentWith(details: Partial<PaymentOnCard> = {}): PaymentOnCard {
  return { ...claim, revision: 7, status: 'pending', cleared: 2n ** 63n - 1n, refunded: -1n, ...details };
}

function restored<Stored extends object>(target: Stored, stored: Stored): Stored {
  return restoreInto(target, deserialize(serialize(stored)) as object);
}

describe('The payments of an audit', () => {
  it('keep a record of one that agrees with its claim, also after storing', () => {
    const payments = new AuditedPayments();
    Object.assign(payments.toChange(id), { claim, payment: paymentWith() });
    payments.changed(id);
    expect(payments.others.size).toBe(0);
    for (const each of [restored(new AuditedPayments(), payments), payments]) {
      expect(each.get(id)).toEqual({ claim, payment: paymentWith() });
    }
  });

  it('keep a change of a payment that was a record', () => {
    const payments = new AuditedPayments();
    Object.assign(payments.toChange(id), { claim, payment: paymentWith() });
    payments.changed(id);
    payments.get(id)!.payment!.status = 'completed';
    payments.changed(id);
    expect(payments.others.size).toBe(0);
    expect(payments.get(id)!.payment).toEqual(paymentWith({ status: 'completed' }));
  });

  it.each<[string, string, Partial<PaymentOnCard>]>([
    ['of another amount', id, { amount: 1n }],
    ['that 8 bytes cannot represent', id, { cleared: 2n ** 63n }],
    ['on a card without a UUID', id, { cardStream: 'card-c1' }],
    ['without a UUID', 'p1', {}],
  ])('keep a payment %s', (_, paymentId, details) => {
    const payments = new AuditedPayments();
    const payment = paymentWith(details);
    const same = 'amount' in details ? claim : { ...claim, cardStream: payment.cardStream };
    Object.assign(payments.toChange(paymentId), { claim: same, payment });
    payments.changed(paymentId);
    expect([...payments.others.keys()]).toEqual([paymentId]);
  });
});

describe('The cards of an audit', () => {
  const card = { stream: cardStream, account: 'account-a-live', money: { balance: 5n, available: -3n } };

  it.each([
    ['that agrees', noMoney()],
    ['whose recorded money differs', { balance: 1n, available: 0n }],
  ])('keep a card %s, also after storing', (_, drift) => {
    const cards = new AuditedCards();
    cards.set({ ...card, drift: { balance: 9n, available: 9n } });
    cards.set({ ...card, drift });
    for (const each of [restored(new AuditedCards(), cards), cards]) {
      expect(each.get(cardStream)).toEqual({ ...card, drift });
    }
    expect(cards.get('card-5a0e0000-0000-4000-8000-000000000009')).toBeUndefined();
  });
});
