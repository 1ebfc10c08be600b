import type { Json } from '@florin/kernel';
import { availableOn, type CardState } from './card-state';
import { cardAggregate } from './card.decider';
import { type CardEvent, cardEventVersions, type CardPayment } from './card.messages';

const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' };
const at = '2030-01-01T00:00:00.000Z';
const payment = (transactionId: string, type: string, status: string, amount: string) => ({
  ...{ transactionId, reference: transactionId, type, status, amount, currency: 'USD', merchant: 'Bakery' },
  ...{ country: 'NL', description: '', occurredAt: at },
});

/** The type, version and data of an event, as the first release stored it. */
type Stored = readonly [type: CardEvent['type'], version: number, data: Json];

const issued: Stored = [
  'CardIssued',
  1,
  {
    ...{ ...owner, accountId: 'acme-sandbox', operationId: 'op1', holderId: 'h1', productId: 'virtual' },
    ...{ name: '', last4: '4242', amount: '100.00', createdAt: at },
  },
];
const recorded = (id: string, type: string, status: string, amount: string, balance: string): Stored => [
  'PaymentRecorded',
  1,
  { ...owner, payment: payment(id, type, status, amount), balance },
];
const changed = (transactionId: string, status: string, balance: string): Stored => [
  'PaymentChanged',
  1,
  { ...owner, transactionId, status, balance },
];

function upcast([type, version, data]: Stored): CardEvent {
  const upcasters = cardEventVersions[type].slice(version - 1);
  return { type, data: upcasters.reduce<Json>((old, convert) => convert(old), data) } as unknown as CardEvent;
}

function moneyAfter(...events: readonly Stored[]) {
  const card = events.map(upcast).reduce(cardAggregate.evolve, undefined)!;
  return [card.balance, availableOn(card)];
}

describe('The events of the first release', () => {
  const pending = recorded('t1', 'purchase', 'pending', '30.00', '70.00');

  it.each<[string, readonly Stored[], bigint, bigint]>([
    [
      'a topup',
      [['CardToppedUp', 1, { ...owner, operationId: 'op2', amount: '1.00', balance: '101.00' }]],
      10_100n,
      10_100n,
    ],
    ['a pending purchase', [pending], 10_000n, 7_000n],
    ['a completed purchase', [recorded('t1', 'purchase', 'completed', '30.00', '70.00')], 7_000n, 7_000n],
    ['a pending purchase that completes', [pending, changed('t1', 'completed', '70.00')], 7_000n, 7_000n],
    ['a pending purchase that expires', [pending, changed('t1', 'expired', '100.00')], 10_000n, 10_000n],
    [
      'a completed purchase that is reversed',
      [pending, changed('t1', 'completed', '70.00'), changed('t1', 'reversed', '100.00')],
      10_000n,
      10_000n,
    ],
    [
      'a topup beside a pending purchase',
      [pending, ['CardToppedUp', 1, { ...owner, operationId: 'op2', amount: '1.00', balance: '71.00' }]],
      10_100n,
      7_100n,
    ],
    ['a pending refund', [recorded('t1', 'refund', 'pending', '30.00', '100.00')], 10_000n, 10_000n],
    ['a verification', [recorded('t1', 'verification', 'pending', '30.00', '100.00')], 10_000n, 10_000n],
    ['a declined withdrawal', [recorded('t1', 'withdrawal', 'declined', '30.00', '100.00')], 10_000n, 10_000n],
  ])('give a card its balance and what is available after %s', (_name, events, balance, available) => {
    expect(moneyAfter(issued, ...events)).toEqual([balance, available]);
  });

  it('are continued by events of this release', () => {
    const old = [issued, pending].map(upcast).reduce<CardState>(cardAggregate.evolve, undefined);
    const report = payment('t1', 'purchase', 'completed', '30.00') as CardPayment;
    const data = { cardId: 'c1', accountId: 'acme-sandbox', payment: report };
    expect(cardAggregate.decide({ type: 'ReportPayment', data }, old)).toEqual([
      {
        type: 'PaymentChanged',
        data: {
          ...{ ...owner, transactionId: 't1', status: 'completed', cleared: '30.00' },
          after: { balance: '70.00', available: '70.00' },
        },
      },
    ]);
  });

  it('return the money at a status change to its repeat', () => {
    const frozen: Stored = ['CardFrozen', 2, { ...owner, requestId: 'r1', requestedAt: at, balance: '70.00' }];
    const card = [issued, pending, frozen].map(upcast).reduce<CardState>(cardAggregate.evolve, undefined);
    const command = { type: 'FreezeCard', data: { cardId: 'c1', accountId: 'acme-sandbox', requestId: 'r1' } } as const;
    const answer = cardAggregate.answer(card, command, true);
    expect(answer).toMatchObject({ status: 'frozen', balance: '100.00', available: '70.00', updatedAt: at });
  });
});
