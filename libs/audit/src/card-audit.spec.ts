import { audit, cardLog } from './testing';
import { as, changed, type ChangeCase, flawsOf, remove, set, twice } from './testing/changed-log';

describe('The audit of cards', () => {
  it('finds no flaws if each balance follows from operations and transactions', () => {
    expect(audit(cardLog)).toMatchObject({ flaws: [], inProgress: [] });
    expect(audit(cardLog, 'account-acme-sandbox')).toMatchObject({ flaws: [], inProgress: [] });
    expect(audit(cardLog, 'account-ida-live')).toMatchObject({ flaws: [], inProgress: [] });
  });

  it('finds a card that was loaded without an operation', () => {
    const forged = {
      cardId: 'c1',
      operationId: 'x',
      amount: '500.00',
      after: { balance: '614.00', available: '614.00' },
    };
    const event = {
      stream: 'card-c1',
      revision: 12,
      type: 'CardToppedUp',
      data: JSON.stringify(forged),
      metadata: '{}',
    };
    expect(flawsOf([...cardLog, event])).toBe('card-c1@12: the card got 500.00 by operation x, which does not exist');
  });

  it.each<ChangeCase>([
    ['a load without an accepted operation', 'operation-4@1', remove, /card-c1@1: .*completed and was not accepted/],
    [
      'a load of another amount',
      'operation-4@0',
      set(['order', 'amount'], '9.00'),
      /card-c1@1: the card got 10.00 by operation 4, which orders 9.00/,
    ],
    ['a load of another card', 'operation-4@0', set(['order', 'cardId'], 'c9'), /card-c1@1: .*which names card c9/],
    [
      'a load by another type of operation',
      'operation-4@0',
      set(['order', 'type'], 'service'),
      /card-c1@1: .*of type service instead of topup/,
    ],
    [
      'a card of another account',
      'card-c1@0',
      set(['accountId'], 'ida-live'),
      /card-c1@1: .*which account-acme-sandbox pays, but the card belongs to account-ida-live/,
    ],
    ['a load made twice', 'card-c1@1', twice, /@1: CardToppedUp puts the money of operation 4 on a card a second time/],
    ['a card issued twice', 'card-c1@0', twice, /@0: CardIssued issues the card a second time/],
    [
      'a completed topup without a card',
      'card-c1@1',
      remove,
      /operation-4@2: the topup 4 is completed, but no card got its money/,
    ],
    [
      'a wrong balance',
      'card-c1@1',
      set(['balance'], '111.00'),
      /card-c1@1: CardToppedUp records an available amount of 111.00, but the events add up to 110.00/,
    ],
    [
      'a wrong balance beside a pending payment',
      'card-c1@8',
      set(['after', 'balance'], '105.00'),
      /card-c1@8: PaymentRecorded records a balance of 105.00, but the events add up to 115.00/,
    ],
    [
      'a wrong available amount',
      'card-c1@8',
      set(['after', 'available'], '115.00'),
      /card-c1@8: PaymentRecorded records an available amount of 115.00, but the events add up to 105.00/,
    ],
    [
      'a clearing of another amount than recorded',
      'card-c1@9',
      set(['cleared'], '5.00'),
      /card-c1@9: PaymentChanged clears 5.00 of payment p4, which is not what it reports/,
    ],
    [
      'a release that clears money',
      'card-c1@10',
      set(['cleared'], '5.00'),
      /card-c1@10: PaymentChanged clears 5.00 of payment p4, which is not what it reports/,
    ],
    [
      'a refund of more than was cleared',
      'card-c1@11',
      set(['payment', 'amount'], '4.01'),
      /card-c1@11: PaymentRecorded refunds more of payment p4 than was cleared/,
    ],
    [
      'a refund of an unknown payment',
      'card-c1@11',
      set(['payment', 'refundOf'], 'p9'),
      /card-c1@11: .*payment p9 was not recorded on this card/,
    ],
    [
      'a negative available amount',
      'card-c1@8',
      set(['payment', 'amount'], '115.01'),
      /card-c1@8: .*leaves a negative available amount: -0.01/,
    ],
    ['a negative balance', 'card-c1@7', set(['payment', 'status'], 'completed'), /@7: .*negative balance: -385.00/],
    ['a payment recorded twice', 'card-c1@4', twice, /@4: PaymentRecorded records payment p1 a second time/],
    [
      'a payment without a transaction',
      'transaction-p2@0',
      remove,
      /@5: the refund p2 of 5.00 belongs to no transaction/,
    ],
    [
      'a payment of another amount than its transaction',
      'transaction-p2@0',
      set(['payment', 'amount'], '4.00'),
      /@5: the refund p2 of 5.00 differs from its transaction, a refund of 4.00 with card-c1/,
    ],
    ['a payment with another card', 'transaction-p2@0', set(['cardId'], 'c9'), /@5: .*a refund of 5.00 with card-c9/],
    ['a transaction claimed twice', 'transaction-p2@0', twice, /@0: .*claims transaction p2 a second time/],
    ['a change of an unknown payment', 'card-c1@4', remove, /card-c1@6: .*payment p1 was not recorded on this card/],
    ['a card that was not issued', 'card-c1@0', remove, /card-c1@1: .*the card was not issued/],
    [
      'an unknown type of payment',
      'card-c1@5',
      set(['payment', 'type'], 'gift'),
      /does not know payments of type gift/,
    ],
    ['an unknown event type', 'card-c1@2', as('CardMelted'), /card-c1@2: CardMelted cannot be audited/],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(changed(cardLog, at, change))).toMatch(expected);
  });
});
