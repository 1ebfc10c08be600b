import type { OperationEvent, OperationObject, Order } from '@florin/operations-domain';
import { type Derived, requirePrevious } from './derived';

export function deriveOperation(
  previous: OperationObject | undefined,
  event: OperationEvent,
): Derived<OperationObject> | undefined {
  switch (event.type) {
    case 'OperationQueued':
      return { type: 'operation.queued', object: queued(event.data.order) };
    case 'OperationSentToReview':
      return {
        type: 'operation.manual_review',
        object: { ...requirePrevious(previous, event), status: 'manual_review' },
      };
    case 'OperationCompleted': {
      const { result } = event.data;
      return {
        type: 'operation.completed',
        object: { ...requirePrevious(previous, event), status: 'completed', result },
      };
    }
    case 'OperationFailed': {
      const { failure } = event.data;
      return { type: 'operation.failed', object: { ...requirePrevious(previous, event), status: 'failed', failure } };
    }
    default:
      return undefined;
  }
}

function queued(order: Order): OperationObject {
  const { operationId: id, type, amount, fee, total, createdAt } = order;
  return { id, type, status: 'queued', amount, fee, total, result: {}, createdAt };
}
