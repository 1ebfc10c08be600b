import { assert, formatMoney, parseMoney } from '@florin/kernel';
import type { Card, CardState, Payment } from './card-state';
import type { PaymentChanged, PaymentRecorded } from './card.messages';
import { authorizedBy, clearedBy, heldBy, spentBy } from './payment-money';
import type { CardPayment, PaymentAnswer, TransactionStatus } from './payment.messages';
import { dayOf, spend } from './spending';

/** Statuses differ in their first character. A card remembers many payments, so their size matters. */
export function initialOf(status: TransactionStatus): string {
  return status.slice(0, 1);
}

export function addPayment(card: Card, { data }: PaymentRecorded): void {
  const { payment: paid, declineReason, reportedAt } = data;
  const { transactionId, type, amount, status, clearing, refundOf } = paid;
  const reports = reportsOf(data);
  const payment: Payment = { type, amount, status, reports };
  const isCounted = spentBy(payment) > 0n;
  card.payments.set(transactionId, {
    ...payment,
    ...(isCounted && { day: dayOf(reportedAt ?? paid.occurredAt) }),
    ...(clearing !== undefined && { clearings: new Map([[clearing.clearingId, amount]]) }),
    ...(refundOf !== undefined && { refundOf }),
    ...(declineReason !== undefined && { declineReason }),
  });
  addMoney(card, undefined, card.payments.get(transactionId)!);
}

export function changePayment(card: Card, { data }: PaymentChanged): void {
  const { transactionId, status, cleared, clearing, reported } = data;
  const payment = card.payments.get(transactionId);
  assert(payment !== undefined, () => `payment ${transactionId} changes before it is recorded`);
  const before = { ...payment };
  payment.status = status;
  delete payment.cleared;
  const sum = cleared === undefined ? undefined : parseMoney(cleared);
  if (sum !== undefined && sum !== clearedBy(payment)) payment.cleared = sum;
  if (clearing !== undefined) (payment.clearings ??= new Map()).set(clearing.clearingId, clearing.amount);
  else payment.reports += initialOf(reported ?? status);
  addMoney(card, before, payment);
}

/** A clearing reports no status. */
function reportsOf({ payment: { status, clearing }, reported }: PaymentRecorded['data']): string {
  const first = clearing === undefined || status === 'declined' ? initialOf(status) : '';
  return reported === undefined ? first : first + initialOf(reported);
}

function addMoney(card: Card, before: Payment | undefined, after: Payment): void {
  card.held += heldBy(after) - (before === undefined ? 0n : heldBy(before));
  const spent = spentBy(after) - (before === undefined ? 0n : spentBy(before));
  if (after.day !== undefined) spend(card.spending, after.day, spent);
  const refunded = clearedBy(after) - (before === undefined ? 0n : clearedBy(before));
  const original = after.refundOf === undefined ? undefined : card.payments.get(after.refundOf);
  if (original !== undefined && refunded > 0n) original.refunded = (original.refunded ?? 0n) + refunded;
}

/** The payment as the card has decided it. */
export function paymentAnswer(card: CardState, payment: CardPayment): PaymentAnswer {
  const known = card?.payments.get(payment.transactionId);
  assert(known !== undefined, () => `payment ${payment.transactionId} must exist after an accepted report`);
  const { status, amount, declineReason } = known;
  return {
    ...payment,
    status,
    amount,
    authorizedAmount: formatMoney(authorizedBy(known)),
    clearedAmount: formatMoney(clearedBy(known)),
    ...(declineReason !== undefined && { declineReason }),
  };
}
