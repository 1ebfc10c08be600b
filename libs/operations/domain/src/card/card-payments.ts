import { assert, assertNever, formatMoney, type Money, parseMoney, refuse } from '@florin/kernel';
import type { Card, CardDecision, Payment } from './card-state';
import type {
  CardPayment,
  PaymentChanged,
  PaymentRecorded,
  ReportPayment,
  TransactionStatus,
  TransactionType,
} from './card.messages';

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

export function reportPayment({ data }: ReportPayment, card: Card): CardDecision {
  const { payment } = data;
  const known = card.payments.get(payment.transactionId);
  return known === undefined ? record(payment, card) : change(payment, known, card);
}

export function paymentOf({ data }: PaymentRecorded): Payment {
  const { type, amount, status } = data.payment;
  return { type, amount, status, reported: data.reported === undefined ? [status] : [status, data.reported] };
}

export function addReport(payments: Map<string, Payment>, { data }: PaymentChanged): void {
  const payment = payments.get(data.transactionId);
  assert(payment !== undefined, () => `payment ${data.transactionId} changes before it is recorded`);
  payment.status = data.status;
  payment.reported.push(data.status);
}

/**
 * The effect of a payment in this status on the balance: debit, credit or none. Each report changes the balance by the
 * difference of two effects, so no sequence of reports creates or loses money.
 */
function effectOf(type: TransactionType, status: TransactionStatus): -1n | 0n | 1n {
  switch (type) {
    case 'verification':
      return 0n;
    case 'refund':
      return status === 'completed' ? 1n : 0n;
    case 'purchase':
    case 'withdrawal':
    case 'fee':
    case 'adjustment':
      return status === 'pending' || status === 'completed' ? -1n : 0n;
    default:
      return assertNever(type);
  }
}

function record(payment: CardPayment, card: Card): CardDecision {
  if (payment.currency !== cardCurrency) {
    return refuse('payment_mismatch', `The card is in ${cardCurrency}: report the amount in ${cardCurrency}`);
  }
  const amount = parseMoney(payment.amount);
  assert(amount >= 0n, () => `payment ${payment.transactionId} of ${payment.amount}`);
  const effect = effectOf(payment.type, payment.status);
  const balance = card.balance + effect * amount;
  const isUncovered = effect === -1n && (card.status !== 'active' || balance < 0n);
  if (isUncovered || balance > maximumCardBalance) {
    const declined: CardPayment = { ...payment, status: 'declined' };
    const data = { ...changeOf(card, card.balance), payment: declined, reported: payment.status };
    return [{ type: 'PaymentRecorded', data }];
  }
  return [{ type: 'PaymentRecorded', data: { ...changeOf(card, balance), payment } }];
}

function change({ transactionId, ...report }: CardPayment, known: Payment, card: Card): CardDecision {
  const { type, status, amount, currency } = report;
  if (known.type !== type || known.amount !== amount || currency !== cardCurrency) {
    return refuse(
      'payment_mismatch',
      `This payment is a ${known.type} of ${known.amount} ${cardCurrency}: report it so, or another one under its own id`,
    );
  }
  if (known.reported.includes(status)) return [];
  if (!mayFollow(known, status)) {
    return refuse(
      'payment_settled',
      `This payment is ${known.status} and cannot become ${status}: report what happened as a separate payment`,
    );
  }
  const moved = effectOf(type, status) - effectOf(type, known.status);
  const balance = card.balance + moved * parseMoney(amount);
  if (balance > maximumCardBalance) {
    return refuse('payment_settled', 'The card holds as much as a card can: nothing more can be credited to it');
  }
  assert(balance >= card.balance, () => `the change of payment ${transactionId} to ${status} takes money`);
  return [{ type: 'PaymentChanged', data: { ...changeOf(card, balance), transactionId, status } }];
}

function mayFollow({ type, status }: Payment, next: TransactionStatus): boolean {
  if (!nextStatuses[status].includes(next)) return false;
  return status === 'pending' || effectOf(type, status) === -1n;
}

function changeOf(card: Card, balance: Money) {
  const { cardId, companyId, environment } = card.issued;
  return { cardId, companyId, environment, balance: formatMoney(balance) };
}
