import { type Actor, assertNever, parseMoney } from '@florin/kernel';
import type {
  OperationEvent,
  OperationFailure,
  OperationResult,
  OperationStatus,
  Order,
} from '@florin/operations-domain';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';
import type { LateAnswerView, OperationReviewView } from './operations.views';

const columns = {
  id: ['uuid', 'settled'],
  companyId: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  type: ['text', 'settled'],
  productId: ['text', 'settled'],
  amount: ['bigint', 'settled'],
  fee: ['bigint', 'settled'],
  total: ['bigint', 'settled'],
  holderId: ['uuid', 'settled'],
  cardId: ['uuid', 'settled'],
  name: ['text', 'settled'],
  recipient: ['text', 'settled'],
  metadata: ['jsonb', 'settled'],
  createdAt: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  result: ['jsonb', 'replaced'],
  failure: ['jsonb', 'replaced'],
  review: ['jsonb', 'extended'],
  lateAnswers: ['jsonb', 'extended'],
  updatedAt: ['timestamptz', 'replaced'],
} as const satisfies FoldedColumns;

export type OperationRow = FoldedRowOf<typeof columns> & {
  status?: OperationStatus;
  result?: OperationResult;
  failure?: OperationFailure;
  review?: Partial<Pick<OperationReviewView, 'reason' | 'since' | 'resolution'>>;
  lateAnswers?: Readonly<Record<string, Omit<LateAnswerView, 'noteId'>>>;
};

export type OperationRows = Map<string, OperationRow>;

export function applyOperationEvent(
  rows: OperationRows,
  event: OperationEvent,
  revision: number,
  recordedAt: string,
  actor: Actor | undefined,
): void {
  const first = event.type === 'OperationQueued' ? rowOf(event.data.order, recordedAt) : undefined;
  const row = rowToChange(rows, event.data.operationId, revision, first);
  if (row === undefined) return;
  // A late response is for operators and changes nothing that clients see.
  if (event.type !== 'LateAnswerNoted') row.updatedAt = recordedAt;
  change(row, event, recordedAt, actor);
}

/**
 * The row of an order. Its revision is lower than that of any event of the operation's stream. Field by field, because
 * spreading the order takes ten times as long.
 */
export function rowOf(order: Order, recordedAt: string): OperationRow {
  return {
    id: order.operationId,
    isWhole: true,
    revision: -1,
    companyId: order.companyId,
    environment: order.environment,
    type: order.type,
    productId: order.productId,
    amount: parseMoney(order.amount),
    fee: parseMoney(order.fee),
    total: parseMoney(order.total),
    holderId: order.holderId,
    cardId: order.cardId,
    name: order.name,
    recipient: order.recipient,
    metadata: order.metadata,
    createdAt: order.createdAt,
    status: 'queued',
    updatedAt: recordedAt,
  };
}

function change(row: OperationRow, { type, data }: OperationEvent, recordedAt: string, actor: Actor | undefined): void {
  switch (type) {
    case 'OperationQueued':
    case 'StrayHoldFound':
      return;
    case 'IssuerCallStarted':
    case 'IssuerAccepted':
    case 'OperationDeclined':
      row.status = 'processing';
      return;
    case 'OperationSentToReview':
      row.status = 'manual_review';
      row.review = { ...row.review, reason: data.reason, since: recordedAt };
      return;
    case 'LateAnswerNoted': {
      const { noteId, answer, matches, notedAt } = data;
      row.lateAnswers = { ...row.lateAnswers, [noteId]: { answer, matches, notedAt } };
      return;
    }
    case 'ReviewResolved':
      row.review = { ...row.review, resolution: { outcome: data.outcome, note: data.note, resolvedBy: actor } };
      return;
    case 'OperationCompleted':
      row.status = 'completed';
      row.result = data.result;
      return;
    case 'OperationFailed':
      row.status = 'failed';
      row.failure = data.failure;
      return;
    default:
      assertNever(type);
  }
}

export const saveOperations = writerOfFoldedRows('read_models.operations', columns);
