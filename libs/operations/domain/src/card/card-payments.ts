import { assert, formatMoney, type Money, type MoneyText, parseMoney, type Refusal, refuse } from '@florin/kernel';
import { declineReasonOf } from './card-limits';
import { availableOn, type Card, type CardDecision, changeOf, type Payment } from './card-state';
import type { CardRefusal, ReportPayment } from './card.messages';
import { clearedBy, difference, effectOf, heldBy, isDebit } from './payment-money';
import type { CardPayment, Clearing, TransactionStatus } from './payment.messages';
import { initialOf } from './recorded-payments';
import { dayOf } from './spending';

/** Far above realistic balances and far below the limit of the read model's column. */
export const maximumCardBalance: Money = 10n ** 17n;

/** Card balances are in US dollars. An amount in another currency would be booked as dollars. */
const cardCurrency = 'USD';

/** The allowed transitions. A completed payment can only be reversed if that returns money to the card. */
const nextStatuses: Readonly<Record<TransactionStatus, readonly TransactionStatus[]>> = {
  pending: ['completed', 'reversed', 'expired'],
  completed: ['reversed'],
  declined: [],
  reversed: [],
  expired: [],
};

type Report = Pick<ReportPayment['data'], 'payment' | 'reportedAt'>;

export function reportPayment({ data: { payment, reportedAt } }: ReportPayment, card: Card): CardDecision {
  const report = { payment, reportedAt };
  const known = card.payments.get(payment.transactionId);
  if (known === undefined) return record(report, card);
  return payment.clearing === undefined ? change(report, known, card) : clear(report, payment.clearing, known, card);
}

function record({ payment, reportedAt }: Report, card: Card): CardDecision {
  const { transactionId, type, status, amount, currency } = payment;
  if (currency !== cardCurrency) {
    return refuse('payment_mismatch', `The card is in ${cardCurrency}: report the amount in ${cardCurrency}`);
  }
  assert(parseMoney(amount) >= 0n, () => `payment ${transactionId} of ${amount}`);
  const refusal = status === 'completed' ? refuseRefund(payment, card) : undefined;
  if (refusal !== undefined) return refusal;
  const moved = effectOf({ type, status, amount });
  const declineReason = declineReasonOf(payment, dayOf(reportedAt ?? payment.occurredAt), card);
  if (declineReason !== undefined || card.balance + moved.balance > maximumCardBalance) {
    const declined = { ...payment, status: 'declined' } as const;
    const none = { authorized: '0.00', cleared: '0.00' };
    const data = { ...changeOf(card, {}), payment: declined, ...none, reported: status, declineReason, reportedAt };
    return [{ type: 'PaymentRecorded', data }];
  }
  const amounts = { authorized: authorizedIn(payment), cleared: status === 'completed' ? amount : '0.00' };
  return [{ type: 'PaymentRecorded', data: { ...changeOf(card, moved), payment, ...amounts, reportedAt } }];
}

/** The card authorizes a payment when it is first reported, unless it has already been cleared or has ended. */
function authorizedIn(payment: CardPayment): MoneyText {
  const isAuthorized =
    payment.status === 'pending' || (payment.status === 'completed' && payment.clearing === undefined);
  return isAuthorized && isDebit(payment) ? payment.amount : '0.00';
}

/** At most what was cleared can be refunded, and not to another card. */
function refuseRefund({ refundOf, amount }: CardPayment, { payments }: Card): Refusal<CardRefusal> | undefined {
  if (refundOf === undefined) return undefined;
  const original = payments.get(refundOf);
  if (original === undefined || !isDebit(original)) {
    return refuse('payment_mismatch', 'There is no such payment with this card: refund one that took money off it');
  }
  const left = clearedBy(original) - (original.refunded ?? 0n);
  if (parseMoney(amount) <= left) return undefined;
  return refuse('payment_settled', `Only ${formatMoney(left)} of this payment can be refunded: send at most that`);
}

function change({ payment, reportedAt }: Report, known: Payment, card: Card): CardDecision {
  const { transactionId, type, status, amount, currency } = payment;
  if (known.type !== type || known.amount !== amount || currency !== cardCurrency) {
    return refuse(
      'payment_mismatch',
      `This payment is a ${known.type} of ${known.amount} ${cardCurrency}: report it so, or another one under its own id`,
    );
  }
  if (known.status === status || known.reports.includes(initialOf(status))) return [];
  if (!mayFollow(known, status)) return settled(known, `become ${status}`);
  const refusal = status === 'completed' ? refuseRefund({ ...payment, refundOf: known.refundOf }, card) : undefined;
  if (refusal !== undefined) return refusal;
  const next = afterStatus(known, status);
  const moved = difference(known, next);
  if (card.balance + moved.balance > maximumCardBalance) {
    return refuse('payment_settled', 'The card holds as much as a card can: nothing more can be credited to it');
  }
  assert(moved.balance >= moved.held, () => `the change of payment ${transactionId} to ${status} takes money`);
  const reported = next.status === status ? undefined : status;
  const cleared = formatMoney(clearedBy(next));
  const data = { ...changeOf(card, moved), transactionId, status: next.status, cleared, reported, reportedAt };
  return [{ type: 'PaymentChanged', data }];
}

/** A refund and a verification cannot be taken back, and what was refunded cannot be returned a second time. */
function mayFollow(known: Payment, next: TransactionStatus): boolean {
  if (!nextStatuses[known.status].includes(next)) return false;
  return known.status === 'pending' || (isDebit(known) && known.refunded === undefined);
}

/** `completed` clears what is left. The end of a partly cleared authorization releases the rest and completes it. */
function afterStatus(known: Payment, status: TransactionStatus): Payment {
  const [amount, cleared] = [parseMoney(known.amount), clearedBy(known)];
  if (status === 'completed') return { ...known, status, cleared: cleared > amount ? cleared : amount };
  if (known.status === 'pending' && cleared > 0n) return { ...known, status: 'completed', cleared };
  return { ...known, status, cleared: 0n };
}

/** An authorization is cleared in one or several parts, for more than it holds only as far as something is available. */
function clear({ payment, reportedAt }: Report, clearing: Clearing, known: Payment, card: Card): CardDecision {
  const { clearingId, final } = clearing;
  const repeated = known.clearings?.get(clearingId);
  if (repeated !== undefined) {
    if (clearing.amount === undefined || clearing.amount === repeated) return [];
    return refuse('payment_mismatch', `This clearing was reported with ${repeated}: use another reference`);
  }
  if (!isDebit(known) || !['pending', 'completed'].includes(known.status)) return settled(known, 'be cleared');
  const amount = clearing.amount ?? formatMoney(heldBy(known));
  const money = parseMoney(amount);
  if (money === 0n) return refuse('payment_settled', 'Nothing is left to clear: send the amount of another clearing');
  const most = heldBy(known) + availableOn(card);
  if (money > most) {
    return refuse('insufficient_card_balance', `At most ${formatMoney(most)} can be cleared: the card has no more`);
  }
  const cleared = clearedBy(known) + money;
  const isComplete = final || known.status === 'completed' || cleared >= parseMoney(known.amount);
  const status = isComplete ? 'completed' : 'pending';
  const moved = difference(known, { ...known, status, cleared });
  const { transactionId } = payment;
  const details = { cleared: formatMoney(cleared), clearing: { clearingId, amount }, reportedAt };
  return [{ type: 'PaymentChanged', data: { ...changeOf(card, moved), transactionId, status, ...details } }];
}

function settled({ status }: Payment, what: string): Refusal<CardRefusal> {
  return refuse(
    'payment_settled',
    `This payment is ${status} and cannot ${what}: report what happened as a separate payment`,
  );
}
