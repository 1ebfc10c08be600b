import { isRefusal, type Money, parseMoney } from '@florin/kernel';
import * as fc from 'fast-check';
import { availableOn, type CardState } from './card-state';
import { cardAggregate } from './card.decider';
import type { CardCommand, CardEvent, CardPayment, TransactionStatus, TransactionType } from './card.messages';

const accountId = 'acme-sandbox';
const createdAt = '2030-01-01T00:00:00.000Z';
const issue: CardCommand = {
  type: 'IssueCard',
  data: {
    ...{ cardId: 'c1', companyId: 'acme', environment: 'sandbox', accountId, operationId: 'op0', holderId: 'h1' },
    ...{ productId: 'virtual', name: '', last4: '4242', amount: '50.00', createdAt },
  },
};

/** Few payments with fixed facts, to provoke repeats and reports in any order. */
const facts = [
  ['purchase', '10.00'],
  ['purchase', '45.00'],
  ['withdrawal', '5.50'],
  ['fee', '1.00'],
  ['purchase', '50.00'],
] as const;
const refundIds = ['r0', 'r1', 'r2'];

function report(transactionId: string, type: TransactionType, amount: string, rest: Partial<CardPayment>): CardCommand {
  const payment: CardPayment = {
    ...{ transactionId, reference: transactionId, type, status: 'completed', amount, currency: 'USD' },
    ...{ merchant: '', country: 'NL', description: '', occurredAt: createdAt },
    ...rest,
  };
  return { type: 'ReportPayment', data: { cardId: 'c1', accountId, payment } };
}

const numbers = fc.nat({ max: facts.length - 1 });
const reporting = fc
  .tuple(
    numbers,
    fc.constantFrom<TransactionStatus>('pending', 'pending', 'pending', 'completed', 'reversed', 'expired'),
  )
  .map(([number, status]) => report(`t${number}`, facts[number]![0], facts[number]![1], { status }));
/** Every clearing has one amount; the largest ones exceed every authorization. */
const clearing = fc.tuple(numbers, fc.nat({ max: 3 })).map(([number, part]) => {
  const amount = ['3.00', '7.00', '20.00', '60.00'][part]!;
  const details = { clearingId: `k${number}-${part}`, final: part === 2, amount };
  return report(`t${number}`, facts[number]![0], amount, { clearing: details });
});
const rest = numbers.map((number) => {
  const details = { clearingId: `rest${number}`, final: true };
  return report(`t${number}`, facts[number]![0], facts[number]![1], { clearing: details });
});
const refunding = fc.tuple(fc.constantFrom(...refundIds), numbers).map(([id, number]) => {
  return report(id, 'refund', ['2.00', '6.00', '40.00'][refundIds.indexOf(id)]!, { refundOf: `t${number}` });
});

const commands = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: reporting },
    { weight: 8, arbitrary: clearing },
    { weight: 2, arbitrary: rest },
    { weight: 3, arbitrary: refunding },
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
);

interface Step {
  readonly command: CardCommand;
  readonly events: readonly CardEvent[];
  readonly log: readonly CardEvent[];
  readonly card: NonNullable<CardState>;
}

function run(list: readonly CardCommand[], check: (step: Step) => void): void {
  let state: CardState = cardAggregate.initialState();
  const log: CardEvent[] = [];
  for (const command of [issue, ...list]) {
    const events = cardAggregate.decide(command, state);
    if (isRefusal(events)) continue;
    state = events.reduce(cardAggregate.evolve, state);
    log.push(...events);
    check({ command, events, log, card: state! });
  }
}

/** Adds up what was reported, from the amounts of the reports and not from the sums in the events. */
function booksOf(log: readonly CardEvent[]) {
  const debits = new Map<string, { amount: Money; cleared: Money; status: string }>();
  const refunds: { readonly of: string | undefined; readonly amount: Money }[] = [];
  for (const { type, data } of log) {
    if (type === 'PaymentRecorded') {
      const { transactionId, type: kind, refundOf, status } = data.payment;
      const amount = parseMoney(data.payment.amount);
      const cleared = status === 'completed' ? amount : 0n;
      if (kind === 'refund') refunds.push({ of: refundOf, amount: cleared });
      else debits.set(transactionId, { amount, cleared, status });
    }
    if (type !== 'PaymentChanged') continue;
    const debit = debits.get(data.transactionId)!;
    if (data.clearing !== undefined) debit.cleared += parseMoney(data.clearing.amount);
    else if (data.reported === undefined && data.status === 'completed' && debit.cleared < debit.amount) {
      debit.cleared = debit.amount;
    } else if (data.status !== 'completed') debit.cleared = 0n;
    debit.status = data.status;
  }
  return { debits, refunds };
}

function sum(amounts: Iterable<Money>): Money {
  return [...amounts].reduce((total, amount) => total + amount, 0n);
}

describe('For any order of authorizations, clearings, reversals, expiries, refunds and repeats', () => {
  it('no report creates or loses money, and no authorization takes the money of another', () => {
    fc.assert(
      fc.property(commands, (list) => {
        run(list, ({ log, card }) => {
          const { debits, refunds } = booksOf(log);
          const spent = sum([...debits.values()].map(({ cleared }) => cleared));
          const returned = sum(refunds.map(({ amount }) => amount));
          const held = [...debits.values()].map(({ amount, cleared, status }) => {
            return status === 'pending' && amount > cleared ? amount - cleared : 0n;
          });
          expect(card.balance).toBe(5_000n - spent + returned);
          expect(availableOn(card)).toBe(card.balance - sum(held));
          expect(availableOn(card) >= 0n).toBe(true);
          for (const [id, { cleared }] of debits) {
            const refunded = sum(refunds.filter((refund) => refund.of === id).map(({ amount }) => amount));
            expect(refunded <= cleared).toBe(true);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('every outcome is among them', () => {
    const seen = new Set<string>();
    for (const list of fc.sample(commands, { numRuns: 300, seed: 1 })) {
      run(list, ({ events }) => events.forEach((event) => seen.add(nameOf(event))));
    }
    expect([...seen].sort()).toEqual(
      expect.arrayContaining([
        ...['cleared completed', 'cleared pending', 'completed', 'completed after reversed', 'completed after expired'],
        ...['expired', 'refund completed', 'reversed', 'declined insufficient_card_balance'],
      ]),
    );
  });

  it('a repeat changes nothing at any point', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const done: CardCommand[] = [];
        run(list, ({ command, events, card }) => {
          if (events.length > 0) done.push(command);
          for (const earlier of done) expect(cardAggregate.decide(earlier, card)).toEqual([]);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('what counts as spending on the day is what is cleared or held, without what the issuer charges', () => {
    fc.assert(
      fc.property(commands, (list) => {
        run(list, ({ log, card }) => {
          const { debits } = booksOf(log);
          const spent = [...debits].map(([id, { amount, cleared, status }]) => {
            if (id === 't3') return 0n;
            return status === 'pending' && amount > cleared ? amount : cleared;
          });
          const day = card.spending.days.get('2030-01-01') ?? 0n;
          expect(day).toBe(sum(spent));
          expect(card.spending.months.get('2030-01') ?? 0n).toBe(day);
        });
      }),
      { numRuns: 100 },
    );
  });
});

function nameOf({ type, data }: CardEvent): string {
  if (type === 'PaymentRecorded') {
    const { payment, declineReason } = data;
    return payment.status === 'declined' ? `declined ${declineReason}` : `${payment.type} ${payment.status}`;
  }
  if (type !== 'PaymentChanged') return type;
  if (data.clearing !== undefined) return `cleared ${data.status}`;
  return data.reported === undefined ? data.status : `${data.status} after ${data.reported}`;
}
