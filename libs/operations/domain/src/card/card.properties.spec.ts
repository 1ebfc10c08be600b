import { formatMoney, isRefusal, type Money, parseMoney } from '@florin/kernel';
import * as fc from 'fast-check';
import { availableOn, type CardState } from './card-state';
import { cardAggregate } from './card.decider';
import { unloadOrder } from './testing/sample-card';
import {
  type CardCommand,
  type CardEvent,
  type CardPayment,
  transactionStatuses,
  type TransactionType,
  transactionTypes,
} from './card.messages';

const accountId = 'acme-sandbox';
const createdAt = '2030-01-01T00:00:00.000Z';
const issue: CardCommand = {
  type: 'IssueCard',
  data: {
    ...{ cardId: 'c1', companyId: 'acme', environment: 'sandbox', accountId, operationId: 'op0', holderId: 'h1' },
    ...{ productId: 'virtual', name: '', last4: '4242', amount: '50.00', createdAt },
  },
};

/** Few ids, to provoke repeats, later reports and mismatches. */
const transactionIds = fc.constantFrom(...Array.from({ length: 8 }, (_, index) => `t${index}`));
/** An operation always tops up the same amount. */
const toppingUp = fc.integer({ min: 1, max: 6 }).map((number): CardCommand => {
  return { type: 'TopUpCard', data: { cardId: 'c1', operationId: `op${number}`, amount: `${number * 7}.01` } };
});
const seldom = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
/** Mostly the type and amount that belong to the id, now and then others. */
const reporting = fc
  .record({
    transactionId: transactionIds,
    status: fc.constantFrom(...transactionStatuses),
    type: seldom(fc.constantFrom(...transactionTypes)),
    cents: seldom(fc.bigInt({ min: 0n, max: 9_000n })),
  })
  .map(({ transactionId, status, type, cents }): CardCommand => {
    const number = Number(transactionId.slice(1));
    const payment: CardPayment = {
      ...{ transactionId, reference: transactionId, status, currency: 'USD', merchant: '', country: 'NL' },
      type: type ?? transactionTypes[number % transactionTypes.length]!,
      amount: cents === null ? `${number * 11}.50` : formatMoney(cents),
      ...{ description: '', occurredAt: createdAt },
    };
    return { type: 'ReportPayment', data: { cardId: 'c1', accountId, payment } };
  });
const changingStatus = fc
  .tuple(fc.constantFrom('FreezeCard' as const, 'UnfreezeCard' as const, 'UnfreezeCard' as const), fc.nat(9))
  .map(([type, number]): CardCommand => ({ type, data: { cardId: 'c1', accountId, requestId: `${type}${number}` } }));

/** Few operations, to provoke repeats and opposite outcomes. An operation always unloads the same amount. */
const unloading = fc
  .tuple(
    fc.constantFrom(
      'ReserveUnload' as const,
      'ReserveUnload' as const,
      'CaptureUnload' as const,
      'ReleaseUnload' as const,
    ),
    fc.integer({ min: 1, max: 6 }),
  )
  .map(([type, number]): CardCommand => {
    const operationId = `unload${number}`;
    if (type !== 'ReserveUnload') return { type, data: { cardId: 'c1', operationId } };
    const order = unloadOrder(operationId, `${number * 9}.03`);
    const { amount, createdAt: requestedAt } = order;
    return { type, data: { cardId: 'c1', accountId, operationId, amount, order, requestedAt } };
  });
const commands = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: toppingUp },
    { weight: 4, arbitrary: unloading },
    { weight: 12, arbitrary: reporting },
    { weight: 1, arbitrary: changingStatus },
  ),
  { minLength: 20, maxLength: 80, size: 'max' },
);

/** Computes the money on the card independently, from the amounts and not from the balances in the events. */
function expectedMoney(log: readonly CardEvent[]): { readonly balance: Money; readonly available: Money } {
  const payments = new Map<string, { type: TransactionType; amount: Money; status: string }>();
  let balance = 0n;
  let held = 0n;
  for (const { type, data } of log) {
    if (type === 'CardIssued' || type === 'CardToppedUp') balance += parseMoney(data.amount);
    if (type === 'UnloadReserved') held += parseMoney(data.amount);
    if (type === 'CardUnloaded' || type === 'UnloadReleased') held -= parseMoney(data.amount);
    if (type === 'CardUnloaded') balance -= parseMoney(data.amount);
    if (type === 'PaymentRecorded') {
      const { transactionId, amount, ...rest } = data.payment;
      payments.set(transactionId, { type: rest.type, amount: parseMoney(amount), status: rest.status });
    }
    if (type === 'PaymentChanged') payments.get(data.transactionId)!.status = data.status;
  }
  for (const { type, amount, status } of payments.values()) {
    if (type === 'refund' && status === 'completed') balance += amount;
    const isDebit = ['purchase', 'withdrawal', 'fee', 'adjustment'].includes(type);
    if (isDebit && status === 'pending') held += amount;
    if (isDebit && status === 'completed') balance -= amount;
  }
  return { balance, available: balance - held };
}

interface Step {
  readonly command: CardCommand;
  readonly events: readonly CardEvent[];
  readonly log: readonly CardEvent[];
  readonly card: NonNullable<CardState>;
}

/** Issues the card, runs the commands, and calls `check` with the state after each accepted one. */
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

describe('For any sequence of topups, unloads, payments, refunds, reversals, expiries and repeats', () => {
  it('the balance is the loaded amount without completed debits, and what can be spent is never below zero', () => {
    fc.assert(
      fc.property(commands, (list) => {
        run(list, ({ log, card }) => {
          const money = { balance: card.balance, available: availableOn(card) };
          expect(money).toEqual(expectedMoney(log));
          expect(money.available >= 0n).toBe(true);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('every outcome is among them', () => {
    const seen = new Set<string>();
    for (const list of fc.sample(commands, { numRuns: 100, seed: 1 })) {
      run(list, ({ events }) => events.forEach((event) => seen.add(nameOf(event))));
    }
    const recorded = transactionStatuses.map((status) => `PaymentRecorded ${status}`);
    const changed = ['completed', 'reversed', 'expired'].map((status) => `PaymentChanged ${status}`);
    expect([...seen]).toEqual(
      expect.arrayContaining([...recorded, ...changed, 'CardToppedUp', 'CardUnloaded', 'UnloadReleased', 'CardFrozen']),
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
      { numRuns: 200 },
    );
  });

  it('repeats in between leave the very same history', () => {
    fc.assert(
      fc.property(commands, fc.array(fc.nat(80), { maxLength: 80 }), (list, repeats) => {
        const eventsOf = (all: readonly CardCommand[]): readonly CardEvent[] => {
          const events: CardEvent[] = [];
          run(all, (step) => events.push(...step.events));
          return events;
        };
        const changing: CardCommand[] = [];
        run(list, ({ command, events }) => {
          if (events.length > 0 && command !== issue) changing.push(command);
        });
        const repeated = changing.flatMap((command, index) => {
          const earlier = changing[(repeats[index] ?? index) % (index + 1)]!;
          return [command, earlier];
        });
        expect(eventsOf(repeated)).toEqual(eventsOf(changing));
      }),
      { numRuns: 200 },
    );
  });
});

describe('For any sequence of commands', () => {
  it('every unload has another number, ends at most once, and is captured or released but never both', () => {
    fc.assert(
      fc.property(commands, (list) => {
        run(list, ({ log }) => {
          const reserved = log.flatMap(({ type, data }) => (type === 'UnloadReserved' ? [data.order] : []));
          expect(reserved.map(({ unloadNumber }) => unloadNumber)).toEqual(reserved.map((_, index) => index + 1));
          expect(new Set(reserved.map(({ operationId }) => operationId)).size).toBe(reserved.length);
          const ended = log.flatMap(({ type, data }) =>
            type === 'CardUnloaded' || type === 'UnloadReleased' ? [data.operationId] : [],
          );
          expect(new Set(ended).size).toBe(ended.length);
        });
      }),
      { numRuns: 200 },
    );
  });
});

function nameOf(event: CardEvent): string {
  if (event.type === 'PaymentRecorded') return `${event.type} ${event.data.payment.status}`;
  return event.type === 'PaymentChanged' ? `${event.type} ${event.data.status}` : event.type;
}
