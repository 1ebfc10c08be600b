import { specFor } from '@florin/event-sourcing/testing';
import { cardAggregate } from './card.decider';
import type {
  CardEvent,
  CardIssued,
  CardMoney,
  CardPayment,
  CardRefusal,
  Clearing,
  PaymentChanged,
  PaymentRecorded,
  ReportPayment,
} from './card.messages';
import { paymentAnswer } from './recorded-payments';

const { given } = specFor(cardAggregate);
const accountId = 'acme-sandbox';
const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;
const at = '2030-01-01T00:00:00.000Z';

const issued: CardIssued = {
  type: 'CardIssued',
  data: {
    ...{ ...owner, accountId, operationId: 'op1', holderId: 'h1', productId: 'virtual', name: '', last4: '4242' },
    ...{ amount: '100.00', createdAt: at },
  },
};
const payment = (changes: Partial<CardPayment> = {}): CardPayment => ({
  ...{ transactionId: 't1', reference: 'ref-1', type: 'purchase', status: 'pending', amount: '30.00' },
  ...{ currency: 'USD', merchant: 'Bakery', country: 'NL', description: '', occurredAt: at },
  ...changes,
});
const report = (changes: Partial<CardPayment> = {}): ReportPayment => ({
  type: 'ReportPayment',
  data: { cardId: 'c1', accountId, payment: payment(changes) },
});
const clear = (clearingId: string, clearing: Partial<Clearing> = {}, transactionId = 't1'): ReportPayment =>
  report({ transactionId, status: 'completed', clearing: { clearingId, final: true, ...clearing } });

const money = (balance: string, available = balance): CardMoney => ({ balance, available });
const recorded = (changes: Partial<CardPayment>, after: CardMoney, cleared = '0.00'): PaymentRecorded => {
  const paid = payment(changes);
  const authorized = cleared === '0.00' ? paid.amount : '0.00';
  return { type: 'PaymentRecorded', data: { ...owner, payment: paid, authorized, cleared, after } };
};
const authorized = recorded({}, money('100.00', '70.00'));
const changed = (
  change: Pick<PaymentChanged['data'], 'status'> & Partial<PaymentChanged['data']>,
  after: CardMoney,
): PaymentChanged => ({ type: 'PaymentChanged', data: { ...owner, transactionId: 't1', ...change, after } });
const cleared = (
  clearingId: string,
  amount: string,
  sum: string,
  after: CardMoney,
  status: 'pending' | 'completed' = 'completed',
): PaymentChanged => changed({ status, cleared: sum, clearing: { clearingId, amount } }, after);

describe('A clearing', () => {
  it('takes the authorized amount off the balance by default', () => {
    given(issued, authorized)
      .when(clear('k1'))
      .then(cleared('k1', '30.00', '30.00', money('70.00')));
  });

  it('of less than authorized releases the rest if it is final', () => {
    given(issued, authorized)
      .when(clear('k1', { amount: '10.00' }))
      .then(cleared('k1', '10.00', '10.00', money('90.00')));
  });

  it('of less than authorized keeps the rest on hold if it is not final', () => {
    const first = cleared('k1', '10.00', '10.00', money('90.00', '70.00'), 'pending');
    given(issued, authorized)
      .when(clear('k1', { amount: '10.00', final: false }))
      .then(first);
    given(issued, authorized, first)
      .when(clear('k2'))
      .then(cleared('k2', '20.00', '30.00', money('70.00')));
    given(issued, authorized, first)
      .when(clear('k2', { amount: '20.00', final: false }))
      .then(cleared('k2', '20.00', '30.00', money('70.00')));
  });

  it('can follow the one that completed the payment', () => {
    given(issued, authorized, cleared('k1', '10.00', '10.00', money('90.00')))
      .when(clear('k2', { amount: '15.00' }))
      .then(cleared('k2', '15.00', '25.00', money('75.00')));
  });

  it('of more than authorized is accepted up to what other authorizations leave on the card', () => {
    const other = recorded({ transactionId: 't2', amount: '20.00' }, money('100.00', '50.00'));
    given(issued, authorized, other)
      .when(clear('k1', { amount: '80.00' }))
      .then(cleared('k1', '80.00', '80.00', money('20.00', '0.00')));
    given(issued, authorized, other)
      .when(clear('k1', { amount: '80.01' }))
      .thenRefused('insufficient_card_balance');
  });

  it('is accepted on a frozen card, because the card has authorized it', () => {
    const frozen: CardEvent = { type: 'CardFrozen', data: { ...owner, requestId: 'r1' } };
    given(issued, authorized, frozen)
      .when(clear('k1'))
      .then(cleared('k1', '30.00', '30.00', money('70.00')));
  });

  it('that is repeated changes nothing, even late and without its amount', () => {
    const past = [authorized, cleared('k1', '10.00', '10.00', money('90.00', '70.00'), 'pending')];
    given(issued, ...past)
      .when(clear('k1', { amount: '10.00' }))
      .then();
    given(issued, ...past, cleared('k2', '20.00', '30.00', money('70.00')))
      .when(clear('k1'))
      .then();
  });

  it('without an authorization is a separate payment, which the card may decline', () => {
    const clearing = { clearingId: 'k1', final: true, amount: '30.00' };
    const unauthorized = recorded({ status: 'completed', clearing }, money('70.00'), '30.00');
    given(issued)
      .when(clear('k1', { amount: '30.00' }))
      .then(unauthorized);
    given(issued, unauthorized)
      .when(clear('k2', { amount: '5.00' }))
      .then(cleared('k2', '5.00', '35.00', money('65.00')));
  });
});

describe('The end of a partly cleared authorization', () => {
  const past = [issued, authorized, cleared('k1', '10.00', '10.00', money('90.00', '70.00'), 'pending')];

  it.each(['reversed', 'expired'] as const)(
    'by the report %s releases the rest and keeps what was cleared',
    (status) => {
      given(...past)
        .when(report({ status }))
        .then(changed({ status: 'completed', cleared: '10.00', reported: status }, money('90.00')));
    },
  );

  it('by the report completed clears the rest', () => {
    given(...past)
      .when(report({ status: 'completed' }))
      .then(changed({ status: 'completed', cleared: '30.00' }, money('70.00')));
  });
});

describe('A reversal after the clearing', () => {
  const overcharged = cleared('k1', '35.00', '35.00', money('65.00'));

  it('returns everything that was cleared', () => {
    given(issued, authorized, overcharged)
      .when(report({ status: 'reversed' }))
      .then(changed({ status: 'reversed', cleared: '0.00' }, money('100.00')));
  });

  it('is refused once a part was refunded', () => {
    const refund = recorded(
      { transactionId: 't2', type: 'refund', status: 'completed', amount: '1.00', refundOf: 't1' },
      money('66.00'),
      '1.00',
    );
    given(issued, authorized, overcharged, refund)
      .when(report({ status: 'reversed' }))
      .thenRefused('payment_settled');
  });
});

describe('A refund of a payment', () => {
  const paid = cleared('k1', '30.00', '30.00', money('70.00'));
  const refund = (amount: string, changes: Partial<CardPayment> = {}) =>
    ({ transactionId: 't2', type: 'refund', status: 'completed', amount, refundOf: 't1', ...changes }) as const;
  const refunded = (amount: string, sum: string) => recorded(refund(amount), money(sum), amount);

  it('returns at most what was cleared, in one or several parts', () => {
    given(issued, authorized, paid)
      .when(report(refund('30.00')))
      .then(refunded('30.00', '100.00'));
    given(issued, authorized, paid)
      .when(report(refund('30.01')))
      .thenRefused('payment_settled');
    const second = refund('10.01', { transactionId: 't3' });
    given(issued, authorized, paid, refunded('20.00', '90.00')).when(report(second)).thenRefused('payment_settled');
  });

  it('is checked when it completes', () => {
    const pending = recorded(refund('20.00', { status: 'pending' }), money('70.00'));
    const completed = changed({ transactionId: 't2', status: 'completed', cleared: '20.00' }, money('90.00'));
    given(issued, authorized, paid, pending)
      .when(report(refund('20.00')))
      .then(completed);
    given(issued, authorized, paid, pending, completed)
      .when(report(refund('10.01', { transactionId: 't3' })))
      .thenRefused('payment_settled');
  });

  it('is refused for a payment of another card and for one that took no money off the card', () => {
    given(issued)
      .when(report(refund('1.00')))
      .thenRefused('payment_mismatch');
    const credit = recorded({ transactionId: 't1', type: 'refund', status: 'completed' }, money('130.00'), '30.00');
    given(issued, credit)
      .when(report(refund('1.00')))
      .thenRefused('payment_mismatch');
  });
});

describe('A clearing is refused', () => {
  const ended = (status: 'reversed' | 'expired') => changed({ status, cleared: '0.00' }, money('100.00'));
  const refund = recorded({ type: 'refund', status: 'completed' }, money('130.00'), '30.00');
  const all = cleared('k1', '30.00', '30.00', money('70.00'));

  it.each<[string, readonly CardEvent[], ReportPayment, CardRefusal]>([
    ['after a reversal', [authorized, ended('reversed')], clear('k1'), 'payment_settled'],
    ['after the expiry', [authorized, ended('expired')], clear('k1'), 'payment_settled'],
    ['of a refund', [refund], clear('k1', { amount: '1.00' }), 'payment_settled'],
    ['if nothing is left', [authorized, all], clear('k2'), 'payment_settled'],
    ['if its id has another amount', [authorized, all], clear('k1', { amount: '1.00' }), 'payment_mismatch'],
  ])('%s', (_case, past, command, code) => {
    given(issued, ...past)
      .when(command)
      .thenRefused(code);
  });
});

describe('A payment with clearings', () => {
  it('is returned with what was authorized and cleared', () => {
    const past = [issued, authorized, cleared('k1', '35.00', '35.00', money('65.00'))];
    const state = past.reduce(cardAggregate.evolve, cardAggregate.initialState());
    expect(paymentAnswer(state, payment())).toMatchObject({
      ...{ status: 'completed', amount: '30.00', authorizedAmount: '30.00', clearedAmount: '35.00' },
    });
  });
});
