import { assertNever, type Money, parseMoney } from '@florin/kernel';
import type {
  OperationEvent,
  OperationFailure,
  Order,
  OperationResult,
  OperationStatus,
} from '@florin/operations-domain';
import { type FoldedRow, writerOfFoldedRows } from '../folded-rows';
import type { LateAnswerView, OperationReviewView } from './operations.views';

/** With the column names of the table. */
export interface OperationRow extends FoldedRow {
  company_id?: string;
  environment?: Order['environment'];
  type?: Order['type'];
  product_id?: string;
  amount?: Money;
  fee?: Money;
  total?: Money;
  holder_id?: string;
  card_id?: string;
  recipient?: string;
  created_at?: string;
  status?: OperationStatus;
  result?: OperationResult;
  failure?: OperationFailure;
  review?: Partial<Pick<OperationReviewView, 'reason' | 'since' | 'resolution'>>;
  late_answers?: Readonly<Record<string, Omit<LateAnswerView, 'noteId'>>>;
  updated_at?: string;
}

export type OperationRows = Map<string, OperationRow>;

export function applyOperationEvent(
  rows: OperationRows,
  event: OperationEvent,
  revision: number,
  recordedAt: string,
): void {
  const id = event.data.operationId;
  const known = rows.get(id);
  if (known !== undefined && known.revision >= revision) return;
  const isFirst = event.type === 'OperationQueued';
  const row = isFirst ? rowOf(event.data.order, recordedAt) : (known ?? { id, isWhole: false, revision });
  rows.set(id, row);
  row.revision = revision;
  row.updated_at = recordedAt;
  change(row, event, recordedAt);
}

/** The row of an order. Its revision is lower than that of any event of the operation's stream. */
export function rowOf(order: Order, recordedAt: string): OperationRow {
  return {
    id: order.operationId,
    isWhole: true,
    revision: -1,
    company_id: order.companyId,
    environment: order.environment,
    type: order.type,
    product_id: order.productId,
    amount: parseMoney(order.amount),
    fee: parseMoney(order.fee),
    total: parseMoney(order.total),
    holder_id: order.holderId,
    card_id: order.cardId,
    recipient: order.recipient,
    created_at: order.createdAt,
    status: 'queued',
    updated_at: recordedAt,
  };
}

function change(row: OperationRow, { type, data }: OperationEvent, recordedAt: string): void {
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
      row.late_answers = { ...row.late_answers, [noteId]: { answer, matches, notedAt } };
      return;
    }
    case 'ReviewResolved':
      row.review = { ...row.review, resolution: { outcome: data.outcome, note: data.note } };
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

export const saveOperations = writerOfFoldedRows<OperationRow>('read_models.operations', {
  id: ['uuid', 'settled'],
  company_id: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  type: ['text', 'settled'],
  product_id: ['text', 'settled'],
  amount: ['bigint', 'settled'],
  fee: ['bigint', 'settled'],
  total: ['bigint', 'settled'],
  holder_id: ['uuid', 'settled'],
  card_id: ['uuid', 'settled'],
  recipient: ['text', 'settled'],
  created_at: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  result: ['jsonb', 'replaced'],
  failure: ['jsonb', 'replaced'],
  review: ['jsonb', 'extended'],
  late_answers: ['jsonb', 'extended'],
  updated_at: ['timestamptz', 'replaced'],
  revision: ['integer', 'replaced'],
});
