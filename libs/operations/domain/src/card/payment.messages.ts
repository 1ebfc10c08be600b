import type { MoneyText } from '@florin/kernel';

export const transactionTypes = ['purchase', 'refund', 'withdrawal', 'verification', 'fee', 'adjustment'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export const transactionStatuses = ['pending', 'completed', 'declined', 'reversed', 'expired'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

/** Why a card declines a payment, in the order in which it checks them. */
export const declineReasons = [
  'card_not_active',
  'merchant_not_allowed',
  'country_not_allowed',
  'limit_exceeded',
  'insufficient_card_balance',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

/** A card payment as the issuer reports it. `amount` is unsigned; `type` gives the direction. */
export interface CardPayment {
  readonly transactionId: string;
  readonly reference: string;
  readonly type: TransactionType;
  /** As reported by the issuer. The card may decline a payment that is reported as `pending` or `completed`. */
  readonly status: TransactionStatus;
  readonly amount: MoneyText;
  readonly currency: string;
  readonly merchant: string;
  readonly country: string;
  readonly description: string;
  readonly occurredAt: string;
  /** ISO 18245, four digits. */
  readonly merchantCategory?: string;
  /** What the merchant charged, if that was in another currency. */
  readonly originalAmount?: MoneyText;
  readonly originalCurrency?: string;
  /** The transaction that a refund returns in whole or in part. */
  readonly refundOf?: string;
  /** The report clears the authorization with this transaction id. Without one, it is a payment without authorization. */
  readonly clearing?: Clearing;
}

export interface Clearing {
  readonly clearingId: string;
  /** Nothing else will be cleared, so that the rest of the authorization is released. */
  readonly final: boolean;
  /** By default what is left of the authorization. */
  readonly amount?: MoneyText;
}

/** A payment after a report, for the reporter. */
export interface PaymentAnswer extends CardPayment {
  readonly authorizedAmount: MoneyText;
  readonly clearedAmount: MoneyText;
  readonly declineReason?: DeclineReason;
}
