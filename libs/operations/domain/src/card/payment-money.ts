import { type Money, parseMoney } from '@florin/kernel';
import type { Payment } from './card-state';
import type { TransactionType } from './payment.messages';

/** The part of a payment that decides about money. */
export type PaymentMoney = Pick<Payment, 'type' | 'amount' | 'status' | 'cleared'>;

/** What a payment adds to the balance of the card, and how much of the balance it holds. */
export interface Effect {
  readonly balance: Money;
  readonly held: Money;
}

/** Whether payments of this type take money off the card, put money on it, or move none. */
const directions = {
  purchase: 'debit',
  withdrawal: 'debit',
  fee: 'debit',
  adjustment: 'debit',
  refund: 'credit',
  verification: 'none',
} as const satisfies Readonly<Record<TransactionType, string>>;

export function isDebit({ type }: { readonly type: TransactionType }): boolean {
  return directions[type] === 'debit';
}

/** Whether the cardholder spends. The issuer itself charges fees and adjustments. */
export function isSpending({ type }: { readonly type: TransactionType }): boolean {
  return type === 'purchase' || type === 'withdrawal';
}

/** The sum of all clearings. */
export function clearedBy({ status, amount, cleared }: PaymentMoney): Money {
  return cleared ?? (status === 'completed' ? parseMoney(amount) : 0n);
}

/** Whether and how much the card has authorized: a payment can also begin with its clearing, or with its reversal. */
export function authorizedBy(payment: Pick<Payment, 'type' | 'amount' | 'status' | 'reports'>): Money {
  const isAuthorized = isDebit(payment) && payment.status !== 'declined' && /[pc]/.test(payment.reports);
  return isAuthorized ? parseMoney(payment.amount) : 0n;
}

/** What an authorization still holds. */
export function heldBy(payment: PaymentMoney): Money {
  if (!isDebit(payment) || payment.status !== 'pending') return 0n;
  const left = parseMoney(payment.amount) - clearedBy(payment);
  return left > 0n ? left : 0n;
}

/**
 * The effect of a payment in its state. Each report moves the difference of two effects, so no sequence of reports creates
 * or loses money.
 */
export function effectOf(payment: PaymentMoney): Effect {
  const direction = directions[payment.type];
  if (direction === 'none') return { balance: 0n, held: 0n };
  const cleared = clearedBy(payment);
  return { balance: direction === 'debit' ? -cleared : cleared, held: heldBy(payment) };
}

export function difference(before: PaymentMoney, after: PaymentMoney): Effect {
  const [from, to] = [effectOf(before), effectOf(after)];
  return { balance: to.balance - from.balance, held: to.held - from.held };
}

/** What counts against the limits of the card. */
export function spentBy(payment: PaymentMoney): Money {
  return isSpending(payment) ? clearedBy(payment) + heldBy(payment) : 0n;
}
