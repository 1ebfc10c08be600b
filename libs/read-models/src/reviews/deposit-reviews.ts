import type { PrismaClient } from '@florin/database';
import { type DepositRecord, depositViews } from '../deposits/deposits.queries';
import { newestFirst } from '../keyset-page';
import type { DepositReviewView, ReviewSource } from './reviews.views';

/** Unmatched deposits at addresses with invoices that may be meant. */
export const depositReviews: ReviewSource = {
  list: async (prisma, page) => {
    const { where, ...sorted } = newestFirst('blockTime', page);
    const isOpen = { forReview: true, status: 'unmatched' };
    return reviewsOf(prisma, await prisma.deposit.findMany({ where: { ...isOpen, ...where }, ...sorted }));
  },
  find: async (prisma, id) => reviewsOf(prisma, await prisma.deposit.findMany({ where: { id, forReview: true } })),
};

async function reviewsOf(prisma: PrismaClient, deposits: readonly DepositRecord[]): Promise<DepositReviewView[]> {
  const views = await depositViews(prisma, deposits);
  return views.map(({ forReview: _always, late: _never, blockTime: createdAt, reason, ...deposit }, index) => {
    const since = deposits[index]!.judgedAt.toISOString();
    return { ...deposit, kind: 'deposit', reason: reason!, since, createdAt };
  });
}
