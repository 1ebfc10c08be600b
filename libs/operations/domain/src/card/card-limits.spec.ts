import { isRefusal } from '@florin/kernel';
import * as fc from 'fast-check';
import type { CardLimits } from './card-values';
import type { CardState } from './card-state';
import { cardAggregate } from './card.decider';
import type { CardCommand, CardPayment, ReportPayment } from './card.messages';

const accountId = 'acme-sandbox';
const createdAt = '2030-01-01T00:00:00.000Z';
const issue: CardCommand = {
  type: 'IssueCard',
  data: {
    ...{ cardId: 'c1', companyId: 'acme', environment: 'sandbox', accountId, operationId: 'op0', holderId: 'h1' },
    ...{ productId: 'virtual', name: '', last4: '4242', amount: '1000.00', createdAt },
  },
};
const limit = (limits: CardLimits): CardCommand => ({
  type: 'ChangeCard',
  data: { cardId: 'c1', accountId, requestId: 'limits', requestedAt: createdAt, limits },
});

/** Runs commands on one card; returns the status of each payment, or why it is declined. */
class CardUnderTest {
  private state: CardState = undefined;
  private payments = 0;

  constructor(limits: CardLimits) {
    this.run(issue);
    this.run(limit(limits));
  }

  pay(amount: string, reportedAt = createdAt, details: Partial<CardPayment> = {}): string {
    const transactionId = details.transactionId ?? `t${++this.payments}`;
    const payment: CardPayment = {
      ...{ transactionId, reference: transactionId, type: 'purchase', status: 'pending', amount, currency: 'USD' },
      ...{ merchant: '', country: 'NL', description: '', occurredAt: createdAt },
      ...details,
    };
    const command: ReportPayment = { type: 'ReportPayment', data: { cardId: 'c1', accountId, payment, reportedAt } };
    this.run(command);
    const { status, declineReason } = this.state!.payments.get(transactionId)!;
    return declineReason ?? status;
  }

  private run(command: CardCommand): void {
    const decision = cardAggregate.decide(command, this.state);
    if (isRefusal(decision)) throw new Error(decision.message);
    this.state = decision.reduce(cardAggregate.evolve, this.state);
  }
}

describe('The limits of a card', () => {
  it('per transaction decline only what exceeds them', () => {
    const card = new CardUnderTest({ perTransaction: '10.00' });
    expect([card.pay('10.00'), card.pay('10.01')]).toEqual(['pending', 'limit_exceeded']);
  });

  it('per day begin again at midnight UTC', () => {
    const card = new CardUnderTest({ daily: '10.00' });
    expect(card.pay('6.00', '2030-01-30T00:00:00.000Z')).toBe('pending');
    expect(card.pay('4.01', '2030-01-30T23:59:59.999Z')).toBe('limit_exceeded');
    expect(card.pay('4.00', '2030-01-30T23:59:59.999Z')).toBe('pending');
    expect(card.pay('10.00', '2030-01-31T00:00:00.000Z')).toBe('pending');
    expect(card.pay('0.01', '2030-01-31T00:00:00.000Z')).toBe('limit_exceeded');
  });

  it('per month begin again at the first of the month UTC', () => {
    const card = new CardUnderTest({ monthly: '10.00' });
    expect(card.pay('6.00', '2030-01-01T00:00:00.000Z')).toBe('pending');
    expect(card.pay('4.01', '2030-01-31T23:59:59.999Z')).toBe('limit_exceeded');
    expect(card.pay('4.00', '2030-01-31T23:59:59.999Z')).toBe('pending');
    expect(card.pay('10.00', '2030-02-01T00:00:00.000Z')).toBe('pending');
    expect(card.pay('0.01', '2030-02-28T23:59:59.999Z')).toBe('limit_exceeded');
  });

  it.each(['reversed', 'expired'] as const)('get back what is %s, on the day of the authorization', (status) => {
    const card = new CardUnderTest({ daily: '10.00' });
    card.pay('10.00', '2030-01-30T12:00:00.000Z', { transactionId: 'a' });
    card.pay('10.00', '2030-01-31T12:00:00.000Z', { transactionId: 'b' });
    card.pay('10.00', '2030-01-31T12:00:00.000Z', { transactionId: 'a', status });
    expect(card.pay('0.01', '2030-01-31T12:00:00.000Z')).toBe('limit_exceeded');
    expect(card.pay('10.00', '2030-01-30T23:00:00.000Z')).toBe('pending');
  });

  it('get back what a final clearing leaves', () => {
    const card = new CardUnderTest({ daily: '10.00' });
    card.pay('10.00', createdAt, { transactionId: 'a' });
    const clearing = { clearingId: 'k1', final: true, amount: '4.00' };
    card.pay('4.00', createdAt, { transactionId: 'a', status: 'completed', clearing });
    expect([card.pay('6.01'), card.pay('6.00')]).toEqual(['limit_exceeded', 'pending']);
  });

  it('do not concern what the issuer charges, and refunds do not raise them', () => {
    const card = new CardUnderTest({ daily: '10.00' });
    expect(card.pay('20.00', createdAt, { type: 'fee', status: 'completed' })).toBe('completed');
    expect(card.pay('10.00', createdAt, { transactionId: 'a', status: 'completed' })).toBe('completed');
    expect(card.pay('10.00', createdAt, { type: 'refund', status: 'completed', refundOf: 'a' })).toBe('completed');
    expect(card.pay('0.01')).toBe('limit_exceeded');
  });

  it('allow or deny merchant categories and countries', () => {
    const only = new CardUnderTest({ merchantCategories: { allow: ['5814'] }, countries: { allow: ['NL', 'DE'] } });
    expect(only.pay('1.00', createdAt, { merchantCategory: '5814' })).toBe('pending');
    expect(only.pay('1.00', createdAt, { merchantCategory: '5815' })).toBe('merchant_not_allowed');
    expect(only.pay('1.00')).toBe('merchant_not_allowed');
    expect(only.pay('1.00', createdAt, { merchantCategory: '5814', country: 'US' })).toBe('country_not_allowed');
    const others = new CardUnderTest({ merchantCategories: { deny: ['7995'] }, countries: { deny: ['US'] } });
    expect(others.pay('1.00')).toBe('pending');
    expect(others.pay('1.00', createdAt, { merchantCategory: '7995' })).toBe('merchant_not_allowed');
    expect(others.pay('1.00', createdAt, { country: 'US' })).toBe('country_not_allowed');
    expect(others.pay('0.00', createdAt, { type: 'verification', country: 'US' })).toBe('country_not_allowed');
  });

  it('are checked in the documented order', () => {
    const everything = { merchantCategories: { deny: ['7995'] }, countries: { deny: ['US'] }, perTransaction: '1.00' };
    const card = new CardUnderTest(everything);
    const wrong = { merchantCategory: '7995', country: 'US' };
    expect(card.pay('5000.00', createdAt, wrong)).toBe('merchant_not_allowed');
    expect(card.pay('5000.00', createdAt, { country: 'US' })).toBe('country_not_allowed');
    expect(card.pay('5000.00')).toBe('limit_exceeded');
    expect(new CardUnderTest({}).pay('5000.00')).toBe('insufficient_card_balance');
  });
});

describe('For any payments around midnight', () => {
  it('no day and no month exceeds its limit', () => {
    const times = ['2030-01-30T23:59:59.999Z', '2030-01-31T00:00:00.000Z', '2030-01-31T23:59:59.999Z'];
    const payments = fc.array(
      fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 600 }), fc.nat({ max: 9 }), fc.boolean()),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(payments, (list) => {
        const card = new CardUnderTest({ daily: '10.00', monthly: '15.00' });
        const approved = new Map<string, { readonly day: string; readonly cents: number }>();
        for (const [time, cents, , isReversed] of [...list].sort(([one], [other]) => one - other)) {
          const reportedAt = [...times, '2030-02-01T00:00:00.000Z'][time]!;
          const transactionId = `p${approved.size}-${time}-${cents}`;
          const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
          if (card.pay(amount, reportedAt, { transactionId }) !== 'pending') continue;
          approved.set(transactionId, { day: reportedAt.slice(0, 10), cents });
          if (!isReversed) continue;
          card.pay(amount, reportedAt, { transactionId, status: 'reversed' });
          approved.delete(transactionId);
        }
        const sums = new Map<string, number>();
        for (const { day, cents } of approved.values()) {
          for (const period of [day, day.slice(0, 7)]) sums.set(period, (sums.get(period) ?? 0) + cents);
        }
        for (const [period, sum] of sums) expect(sum).toBeLessThanOrEqual(period.length === 7 ? 1_500 : 1_000);
      }),
      { numRuns: 200 },
    );
  });
});
