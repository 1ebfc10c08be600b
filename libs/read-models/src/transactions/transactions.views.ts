import type { CardPayment, TransactionStatus, TransactionType } from '@florin/operations-domain';

/** The card payment as clients see it. */
export type TransactionView = Omit<CardPayment, 'transactionId'> & { readonly id: string; readonly cardId: string };

export interface TransactionFilter {
  readonly cardId?: string;
  readonly type?: TransactionType;
  readonly status?: TransactionStatus;
  /** The range of `occurredAt`; both are inclusive. */
  readonly from?: string;
  readonly to?: string;
}
