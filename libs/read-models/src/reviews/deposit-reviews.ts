import { depositColumns, type DepositRecord, depositsWithOwners, depositView } from '../deposits/deposit-record';
import { depositsProjection } from '../deposits/deposits.projection';
import { invoicesProjection } from '../invoices/invoices.projection';
import type { DepositReviewView } from './reviews.views';
import { reviewSource } from './review-source';

type DepositReviewRecord = Omit<DepositRecord, 'reason'> & {
  readonly reason: DepositReviewView['reason'];
  readonly judgedAt: Date;
};

/** Unmatched deposits at addresses with invoices that may be meant. */
export const depositReviews = reviewSource<DepositReviewRecord>({
  kind: 'deposit',
  readModels: [depositsProjection, invoicesProjection],
  select: `SELECT ${depositColumns}, judged_at AS "judgedAt" FROM (${depositsWithOwners}) AS deposits`,
  time: 'block_time',
  isReview: 'for_review',
  isOpen: "for_review AND status = 'unmatched'",
  view: ({ judgedAt, ...record }) => {
    const { forReview: _always, late: _never, blockTime: createdAt, ...deposit } = depositView(record);
    return { ...deposit, kind: 'deposit', reason: record.reason, since: judgedAt.toISOString(), createdAt };
  },
});
