import { specFor } from '@florin/event-sourcing/testing';
import { cardAggregate } from './card.decider';
import {
  type CardEvent,
  type CardIssued,
  type CardMoney,
  type CardPayment,
  type CardRefusal,
  type DeclineReason,
  type PaymentChanged,
  type PaymentRecorded,
  type ReportPayment,
  type TransactionStatus,
  type TransactionType,
} from './card.messages';
import { paymentAnswer } from './recorded-payments';

const { given } = specFor(cardAggregate);
const accountId = 'acme-sandbox';
const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;
const createdAt = '2030-01-01T00:00:00.000Z';

const issued: CardIssued = {
  type: 'CardIssued',
  data: {
    ...owner,
    accountId,
    operationId: 'op1',
    holderId: 'h1',
    productId: 'virtual',
    name: 'Travel',
    last4: '4242',
    amount: '100.00',
    createdAt,
  },
};
const frozen: CardEvent = { type: 'CardFrozen', data: { ...owner, requestId: 'r1' } };
const closed: CardEvent = { type: 'CardClosed', data: { ...owner, requestId: 'r2' } };

const payment = (type: TransactionType, status: TransactionStatus, changes: Partial<CardPayment> = {}) =>
  ({
    transactionId: 't1',
    reference: 'ref-1',
    type,
    status,
    amount: '30.00',
    currency: 'USD',
    merchant: 'Bakery',
    country: 'NL',
    description: 'Bread',
    occurredAt: createdAt,
    ...changes,
  }) satisfies CardPayment;
const report = (paid: CardPayment): ReportPayment => ({
  type: 'ReportPayment',
  data: { cardId: 'c1', accountId, payment: paid },
});
const recorded = (paid: CardPayment, after: CardMoney): PaymentRecorded => ({
  type: 'PaymentRecorded',
  data: { ...owner, payment: paid, after, ...amountsOf(paid) },
});
function amountsOf({ type, status, amount }: CardPayment) {
  const isAuthorized = type !== 'refund' && type !== 'verification' && (status === 'pending' || status === 'completed');
  return { authorized: isAuthorized ? amount : '0.00', cleared: status === 'completed' ? amount : '0.00' };
}
/** The event for a report that the card declines. */
const declined = (paid: CardPayment, after: CardMoney, declineReason?: DeclineReason): PaymentRecorded => ({
  type: 'PaymentRecorded',
  data: {
    ...{ ...owner, payment: { ...paid, status: 'declined' }, authorized: '0.00', cleared: '0.00', after },
    ...{ reported: paid.status, declineReason },
  },
});
const changed = (status: TransactionStatus, after: CardMoney, amount = '30.00'): PaymentChanged => ({
  type: 'PaymentChanged',
  data: { ...owner, transactionId: 't1', status, after, cleared: status === 'completed' ? amount : '0.00' },
});

const debits = ['purchase', 'withdrawal', 'fee', 'adjustment'] as const;
const money = (balance: string, available = balance): CardMoney => ({ balance, available });
const taken = money('70.00');
const authorized = money('100.00', '70.00');
const whole = money('100.00');
const credited = money('130.00');

describe.each(debits)('A %s', (type) => {
  it('takes its amount off the balance when it is first reported as completed', () => {
    given(issued)
      .when(report(payment(type, 'completed')))
      .then(recorded(payment(type, 'completed'), taken));
  });

  it('only holds its amount when it is first reported as pending', () => {
    given(issued)
      .when(report(payment(type, 'pending')))
      .then(recorded(payment(type, 'pending'), authorized));
  });

  it('is declined if it exceeds what an authorization has left, although the balance would suffice', () => {
    const first = recorded(payment(type, 'pending'), authorized);
    const second = payment(type, 'completed', { transactionId: 't2', amount: '70.01' });
    given(issued, first)
      .when(report(second))
      .then(declined(second, authorized, 'insufficient_card_balance'));
    const rest = { ...second, amount: '70.00' };
    given(issued, first)
      .when(report(rest))
      .then(recorded(rest, money('30.00', '0.00')));
  });

  it('may use the whole balance; one cent more is declined', () => {
    const exact = payment(type, 'completed', { amount: '100.00' });
    given(issued)
      .when(report(exact))
      .then(recorded(exact, money('0.00')));
    const short = payment(type, 'pending', { amount: '100.01' });
    given(issued)
      .when(report(short))
      .then(declined(short, whole, 'insufficient_card_balance'));
  });

  it.each([
    ['frozen', [issued, frozen]],
    ['closed', [issued, frozen, closed]],
  ])('is declined on a card that is %s', (_status, past) => {
    given(...past)
      .when(report(payment(type, 'completed')))
      .then(declined(payment(type, 'completed'), whole, 'card_not_active'));
  });

  it.each(['reversed', 'expired', 'declined'] as const)('moves no money when it is first reported as %s', (status) => {
    given(issued)
      .when(report(payment(type, status)))
      .then(recorded(payment(type, status), whole));
  });

  it('keeps the debit when it completes and returns it when it is reversed or expires', () => {
    const pending = recorded(payment(type, 'pending'), authorized);
    given(issued, pending)
      .when(report(payment(type, 'completed')))
      .then(changed('completed', taken));
    given(issued, pending)
      .when(report(payment(type, 'reversed')))
      .then(changed('reversed', whole));
    given(issued, pending)
      .when(report(payment(type, 'expired')))
      .then(changed('expired', whole));
    given(issued, pending, changed('completed', taken))
      .when(report(payment(type, 'reversed')))
      .then(changed('reversed', whole));
  });

  it('returns the amount to a closed card', () => {
    given(issued, recorded(payment(type, 'pending'), authorized), closed)
      .when(report(payment(type, 'reversed')))
      .then(changed('reversed', whole));
  });
});

describe('A refund', () => {
  it('credits its amount when it is completed, immediately or later', () => {
    given(issued)
      .when(report(payment('refund', 'completed')))
      .then(recorded(payment('refund', 'completed'), credited));
    given(issued)
      .when(report(payment('refund', 'pending')))
      .then(recorded(payment('refund', 'pending'), whole));
    given(issued, recorded(payment('refund', 'pending'), whole))
      .when(report(payment('refund', 'completed')))
      .then(changed('completed', credited));
  });

  it.each(['reversed', 'expired'] as const)('credits nothing when it is %s', (status) => {
    given(issued, recorded(payment('refund', 'pending'), whole))
      .when(report(payment('refund', status)))
      .then(changed(status, whole));
  });

  it('is credited to a frozen or closed card', () => {
    given(issued, frozen, closed)
      .when(report(payment('refund', 'completed')))
      .then(recorded(payment('refund', 'completed'), credited));
  });
});

describe('A verification', () => {
  it('moves no money for any amount and status', () => {
    const large = payment('verification', 'pending', { amount: '500.00' });
    given(issued).when(report(large)).then(recorded(large, whole));
    given(issued, recorded(large, whole))
      .when(report({ ...large, status: 'completed' }))
      .then(changed('completed', whole, '500.00'));
  });
});

describe('A repeated report', () => {
  const purchase = (status: TransactionStatus) => report(payment('purchase', status));

  it.each(['pending', 'completed', 'reversed'] as const)('changes nothing, even late: %s', (status) => {
    const past = [recorded(payment('purchase', 'pending'), authorized), changed('completed', taken)];
    given(issued, ...past, changed('reversed', whole))
      .when(purchase(status))
      .then();
  });

  it('changes nothing if the card declined the first one and could pay now', () => {
    const past = [frozen, declined(payment('purchase', 'completed'), whole)];
    const unfrozen: CardEvent = { type: 'CardUnfrozen', data: { ...owner, requestId: 'r3' } };
    given(issued, ...past, unfrozen)
      .when(purchase('completed'))
      .then();
    given(issued, ...past, unfrozen)
      .when(purchase('declined'))
      .then();
  });
});

describe('A report is refused', () => {
  const pending = recorded(payment('purchase', 'pending'), authorized);
  const completed = changed('completed', taken);
  const purchase = (status: TransactionStatus, changes: Partial<CardPayment> = {}) =>
    report(payment('purchase', status, changes));
  const foreign = (status: TransactionStatus): ReportPayment => ({
    type: 'ReportPayment',
    data: { ...purchase(status).data, accountId: 'acme-live' },
  });

  it.each<[string, readonly CardEvent[], ReportPayment, CardRefusal]>([
    ['about no card', [], purchase('pending'), 'not_found'],
    ['about a foreign card', [issued], foreign('pending'), 'not_found'],
    ['about a foreign card, although it came before', [issued, pending], foreign('pending'), 'not_found'],
    ['in a currency that the card has not', [issued], purchase('pending', { currency: 'EUR' }), 'payment_mismatch'],
    ['with another amount', [issued, pending], purchase('completed', { amount: '30.01' }), 'payment_mismatch'],
    ['with another currency', [issued, pending], purchase('completed', { currency: 'EUR' }), 'payment_mismatch'],
    ['with another type', [issued, pending], report(payment('refund', 'completed')), 'payment_mismatch'],
    ['as a mismatch before a repeat', [issued, pending], purchase('pending', { amount: '1.00' }), 'payment_mismatch'],
    [
      'as a mismatch before a wrong status',
      [issued, pending, changed('expired', whole)],
      purchase('completed', { amount: '1.00' }),
      'payment_mismatch',
    ],
    ['declined after pending', [issued, pending], purchase('declined'), 'payment_settled'],
    ['expired after completed', [issued, pending, completed], purchase('expired'), 'payment_settled'],
    ['completed after expired', [issued, pending, changed('expired', whole)], purchase('completed'), 'payment_settled'],
    [
      'completed after reversed',
      [issued, pending, changed('reversed', whole)],
      purchase('completed'),
      'payment_settled',
    ],
    [
      'completed after the card had declined it pending',
      [issued, declined(payment('purchase', 'pending'), whole)],
      purchase('completed'),
      'payment_settled',
    ],
    [
      'pending after completed',
      [issued, recorded(payment('purchase', 'completed'), taken)],
      purchase('pending'),
      'payment_settled',
    ],
    [
      'reversed, of a refund that was paid out',
      [issued, recorded(payment('refund', 'completed'), credited)],
      report(payment('refund', 'reversed')),
      'payment_settled',
    ],
    [
      'reversed, of a verification that is over',
      [issued, recorded(payment('verification', 'completed'), whole)],
      report(payment('verification', 'reversed')),
      'payment_settled',
    ],
  ])('%s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });
});

describe('A payment', () => {
  it('throws on a negative amount', () => {
    given(issued)
      .when(report(payment('purchase', 'pending', { amount: '-1.00' })))
      .thenThrows(/Invariant/);
  });

  it('is returned with the status that the card decided', () => {
    const paid = payment('purchase', 'completed');
    const state = [issued, frozen, declined(paid, whole)].reduce(cardAggregate.evolve, cardAggregate.initialState());
    const none = { authorizedAmount: '0.00', clearedAmount: '0.00' };
    expect(paymentAnswer(state, paid)).toEqual({ ...paid, status: 'declined', ...none });
    expect(() => paymentAnswer(state, { ...paid, transactionId: 't2' })).toThrow(/Invariant/);
  });

  it('throws on a change that precedes its recording', () => {
    const state = cardAggregate.evolve(cardAggregate.initialState(), issued);
    expect(() => cardAggregate.evolve(state, changed('completed', taken))).toThrow(/before it is recorded/);
  });
});

describe('A card with the maximum balance', () => {
  const full: CardIssued = { ...issued, data: { ...issued.data, amount: '1000000000000000.00' } };
  const refund = payment('refund', 'completed');

  it('declines a refund because the balance would overflow the read model', () => {
    given(full)
      .when(report(refund))
      .then(declined(refund, money(full.data.amount)));
  });

  it('refuses to complete a pending refund', () => {
    given(full, recorded({ ...refund, status: 'pending' }, money(full.data.amount)))
      .when(report(refund))
      .thenRefused('payment_settled');
  });
});
