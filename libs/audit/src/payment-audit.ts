import type { Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, moneyIn, textIn } from './audited-event';
import type { CardMoney } from './card-money';

export interface Payment {
  readonly cardStream: string;
  readonly type: string;
  readonly amount: Money;
}

export interface PaymentOnCard extends Payment {
  readonly revision: number;
  status: string;
  /** The sum of all clearings. */
  cleared: Money;
  /** What was returned by refunds that name this payment. */
  refunded: Money;
}

/** Changes the payment. Returns the cleared sum if it does not follow from the report. */
export function clearedAfter(payment: PaymentOnCard, data: AuditedEvent['data']): Money | undefined {
  const before = payment.cleared;
  const wasPending = payment.status === 'pending';
  payment.status = textIn(data, 'status');
  const clearing = fieldOf(data, 'clearing');
  const whole = before > payment.amount ? before : payment.amount;
  const isEnd = fieldOf(data, 'reported') !== undefined;
  let expected = payment.status === 'completed' ? whole : 0n;
  if (clearing !== undefined) expected = before + moneyIn(clearing, 'amount');
  else if (isEnd && wasPending) expected = before;
  // Events of the first release do not have the sum: a payment was cleared as a whole or not at all.
  payment.cleared = fieldOf(data, 'cleared') === undefined ? expected : moneyIn(data, 'cleared');
  return payment.cleared === expected ? undefined : payment.cleared;
}

/** What a payment adds to the money on the card. What a pending debit has not cleared only reduces what is available. */
export function effectOf({ type, status, amount, cleared }: PaymentOnCard): CardMoney {
  const sign = signs.get(type);
  if (sign === undefined) throw new Error(`this release does not know payments of type ${type}`);
  const balance = sign * cleared;
  const held = status === 'pending' && sign < 0n && amount > cleared ? amount - cleared : 0n;
  return { balance, available: balance - held };
}

/** The sign of each type of payment. */
const signs: ReadonlyMap<string, bigint> = new Map([
  ['purchase', -1n],
  ['withdrawal', -1n],
  ['fee', -1n],
  ['adjustment', -1n],
  ['refund', 1n],
  ['verification', 0n],
]);

export function isSamePayment(one: Payment, other: Payment): boolean {
  return one.cardStream === other.cardStream && one.type === other.type && one.amount === other.amount;
}
