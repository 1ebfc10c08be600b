import { formatMoney } from '@florin/kernel';
import type { OperationRow } from '../operations/operation-rows';
import { operationsProjection } from '../operations/operations.projection';
import type { LateAnswerView, OperationReviewView } from '../operations/operations.views';
import { reviewSource } from './review-source';

const columns = `
  id, company_id AS "companyId", environment, type, status, amount, fee, total, product_id AS "productId",
  holder_id AS "holderId", card_id AS "cardId", recipient, review, late_answers AS "lateAnswers", created_at AS "createdAt"`;

/** A row as `pg` returns it: a bigint is text, times are dates, absent values are null. */
interface OperationReviewRecord extends Pick<
  OperationReviewView,
  'id' | 'companyId' | 'environment' | 'type' | 'status' | 'amount' | 'fee' | 'total' | 'productId'
> {
  readonly holderId: string | null;
  readonly cardId: string | null;
  readonly recipient: string | null;
  readonly review: Pick<OperationReviewView, 'reason' | 'since' | 'resolution'>;
  readonly lateAnswers: OperationRow['lateAnswers'] | null;
  readonly createdAt: Date;
}

/** Operations whose outcome is unknown. */
export const operationReviews = reviewSource<OperationReviewRecord>({
  kind: 'operation',
  readModels: [operationsProjection],
  select: `SELECT ${columns} FROM read_models.operations`,
  time: 'created_at',
  isReview: 'review IS NOT NULL',
  isOpen: "open AND status = 'manual_review'",
  view: ({ review, lateAnswers, holderId, cardId, recipient, ...record }) => ({
    ...record,
    kind: 'operation',
    amount: formatMoney(BigInt(record.amount)),
    fee: formatMoney(BigInt(record.fee)),
    total: formatMoney(BigInt(record.total)),
    ...(holderId !== null && { holderId }),
    ...(cardId !== null && { cardId }),
    ...(recipient !== null && { recipient }),
    ...review,
    lateAnswers: oldestFirst(lateAnswers ?? {}),
    createdAt: record.createdAt.toISOString(),
  }),
});

function oldestFirst(answers: NonNullable<OperationRow['lateAnswers']>): readonly LateAnswerView[] {
  const all = Object.entries(answers).map(([noteId, answer]) => ({ noteId, ...answer }));
  return all.sort((one, other) => (one.notedAt < other.notedAt ? -1 : 1));
}
