import type { Prisma } from '@florin/database';
import { formatMoney } from '@florin/kernel';
import { newestFirst } from '../keyset-page';
import type { OperationRow } from '../operations/operation-rows';
import type { OperationReviewView } from '../operations/operations.views';
import { withoutNulls } from '../without-nulls';
import type { ReviewSource } from './reviews.views';

/** Operations whose outcome is unknown. */
export const operationReviews: ReviewSource = {
  list: async (prisma, page) => {
    const { where, ...sorted } = newestFirst('createdAt', page);
    const isOpen = { open: true, status: 'manual_review' };
    const operations = await prisma.operation.findMany({ where: { ...isOpen, ...where }, ...sorted });
    return operations.map(reviewOf);
  },
  find: async (prisma, id) => {
    const operations = await prisma.operation.findMany({ where: { id } });
    return operations.filter(({ review }) => review !== null).map(reviewOf);
  },
};

function reviewOf(operation: Prisma.OperationGetPayload<object>): OperationReviewView {
  const { id, companyId, environment, type, status, productId, holderId, cardId, recipient } = operation;
  const lateAnswers = (operation.lateAnswers ?? {}) as unknown as NonNullable<OperationRow['lateAnswers']>;
  const answers = Object.entries(lateAnswers).map(([noteId, answer]) => ({ noteId, ...answer }));
  return {
    ...withoutNulls({ id, companyId, environment, type, status, productId, holderId, cardId, recipient }),
    kind: 'operation',
    amount: formatMoney(operation.amount),
    fee: formatMoney(operation.fee),
    total: formatMoney(operation.total),
    ...(operation.review as unknown as Pick<OperationReviewView, 'reason' | 'since' | 'resolution'>),
    lateAnswers: answers.sort((one, other) => (one.notedAt < other.notedAt ? -1 : 1)),
    createdAt: operation.createdAt.toISOString(),
  } as OperationReviewView;
}
