import type { MoneyText } from '@florin/kernel';
import type {
  OperationEvent,
  OperationFailure,
  OperationOrder,
  OperationResult,
  OperationStatus,
  OperationType,
} from '@florin/operations-domain';
import { type Derived, known } from './derived';

/** As `GET /operations/{id}` shows it. */
export interface OperationObject {
  readonly id: string;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  readonly result: OperationResult;
  readonly failure?: OperationFailure;
  readonly createdAt: string;
}

export function deriveOperation(
  previous: OperationObject | undefined,
  event: OperationEvent,
): Derived<OperationObject> | undefined {
  switch (event.type) {
    case 'OperationQueued':
      return { type: 'operation.queued', object: queued(event.data.order) };
    case 'OperationSentToReview':
      return { type: 'operation.manual_review', object: { ...known(previous, event), status: 'manual_review' } };
    case 'OperationCompleted': {
      const { result } = event.data;
      return { type: 'operation.completed', object: { ...known(previous, event), status: 'completed', result } };
    }
    case 'OperationFailed': {
      const { failure } = event.data;
      return { type: 'operation.failed', object: { ...known(previous, event), status: 'failed', failure } };
    }
    default:
      return undefined;
  }
}

function queued(order: OperationOrder): OperationObject {
  const { operationId: id, type, amount, fee, total, createdAt } = order;
  return { id, type, status: 'queued', amount, fee, total, result: {}, createdAt };
}
