import type { PrismaClient } from '@florin/database';
import type { DepositView } from '../deposits/deposits.views';
import type { InvoiceReview, InvoiceView } from '../invoices/invoices.views';
import type { Page } from '../keyset-page';
import type { OperationReviewView } from '../operations/operations.views';

/** An invoice with a wrong or late payment, or whose credit could not be booked. */
export interface InvoiceReviewView extends InvoiceView, Omit<InvoiceReview, 'resolution'> {
  readonly kind: 'invoice';
  readonly companyId: string;
  /** The deposit that was matched with it, if any. */
  readonly depositId?: string;
  readonly resolution?: NonNullable<InvoiceReview['resolution']>;
}

/** An unmatched deposit. Its `createdAt` is the block time. */
export interface DepositReviewView extends Omit<DepositView, 'forReview' | 'late' | 'blockTime' | 'reason'> {
  readonly kind: 'deposit';
  readonly reason: NonNullable<DepositView['reason']>;
  readonly since: string;
  readonly createdAt: string;
}

/** An open or resolved review. */
export type ReviewView = OperationReviewView | InvoiceReviewView | DepositReviewView;

/** One kind of review. */
export interface ReviewSource {
  /** One page of the open reviews, newest first. */
  list(prisma: PrismaClient, page: Page): Promise<readonly ReviewView[]>;
  /** The review with this id, including a resolved one. */
  find(prisma: PrismaClient, id: string): Promise<readonly ReviewView[]>;
}
