import type { DepositView } from '../deposits/deposits.views';
import type { InvoiceReview, InvoiceView } from '../invoices/invoices.views';
import type { OperationReviewView } from '../operations/operations.views';

/** An invoice that was not simply paid in time, or whose credit could not be booked. */
export interface InvoiceReviewView extends InvoiceView, Omit<InvoiceReview, 'resolution'> {
  readonly kind: 'invoice';
  readonly companyId: string;
  /** The deposit that came for it, where one did. */
  readonly depositId?: string;
  readonly resolution?: NonNullable<InvoiceReview['resolution']>;
}

/** A deposit that no invoice asked for. Its `createdAt` is the time of its block. */
export interface DepositReviewView extends Omit<DepositView, 'forReview' | 'late' | 'blockTime' | 'reason'> {
  readonly kind: 'deposit';
  readonly reason: NonNullable<DepositView['reason']>;
  readonly since: string;
  readonly createdAt: string;
}

/** What an operator has to decide, or has decided. */
export type ReviewView = OperationReviewView | InvoiceReviewView | DepositReviewView;
