import { type MoneyText, parseMoney } from '@florin/kernel';
import { availableOn, type Card } from './card-state';
import type { AllowOrDeny, CardLimits, LimitChanges } from './card-values';
import { isDebit, isSpending } from './payment-money';
import type { CardPayment, DeclineReason } from './payment.messages';
import { spentOn } from './spending';

export function changedLimits(limits: CardLimits, changes: LimitChanges): CardLimits {
  const entries = Object.entries({ ...limits, ...changes }).filter(([, limit]) => limit !== null);
  return Object.fromEntries(entries) as CardLimits;
}

/** Undefined if the card approves the payment. One decision with its recording, so concurrent payments cannot both pass. */
export function declineReasonOf(payment: CardPayment, day: string, card: Card): DeclineReason | undefined {
  const { status, amount, merchantCategory, country } = payment;
  // A verification moves no money: only the request for one is decided, not the report of a past one.
  const isDecided = isDebit(payment)
    ? status === 'pending' || status === 'completed'
    : payment.type === 'verification' && status === 'pending';
  if (!isDecided) return undefined;
  if (card.status !== 'active') return 'card_not_active';
  const { merchantCategories, countries } = card.limits;
  if (isSpending(payment) || payment.type === 'verification') {
    if (!isAllowed(merchantCategories, merchantCategory)) return 'merchant_not_allowed';
    if (!isAllowed(countries, country)) return 'country_not_allowed';
  }
  if (isSpending(payment) && exceedsLimits(amount, day, card)) return 'limit_exceeded';
  return isDebit(payment) && parseMoney(amount) > availableOn(card) ? 'insufficient_card_balance' : undefined;
}

/** An unknown value is not on any list. */
function isAllowed(rule: AllowOrDeny | undefined, value: string | undefined): boolean {
  if (rule === undefined) return true;
  if ('allow' in rule) return value !== undefined && rule.allow.includes(value);
  return value === undefined || !rule.deny.includes(value);
}

function exceedsLimits(amount: MoneyText, day: string, { limits, spending }: Card): boolean {
  const money = parseMoney(amount);
  const spent = spentOn(spending, day);
  const exceeds = (limit: MoneyText | undefined, before: bigint): boolean =>
    limit !== undefined && before + money > parseMoney(limit);
  return exceeds(limits.perTransaction, 0n) || exceeds(limits.daily, spent.day) || exceeds(limits.monthly, spent.month);
}
