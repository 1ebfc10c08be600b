import type { OperationEvent, OperationObject, Order } from '@florin/operations-domain';
import { type Derived, requirePrevious } from './derived';

export function deriveOperation(
  previous: OperationObject | undefined,
  event: OperationEvent,
  updatedAt: string,
): Derived<OperationObject> | undefined {
  switch (event.type) {
    case 'OperationQueued':
      return { type: 'operation.queued', object: queued(event.data.order) };
    case 'OperationSentToReview': {
      const object = { ...requirePrevious(previous, event), status: 'manual_review', updatedAt } as const;
      return { type: 'operation.manual_review', object };
    }
    case 'OperationCompleted': {
      const { result } = event.data;
      const card = result.cardId === undefined ? {} : { cardId: result.cardId };
      const object = { ...requirePrevious(previous, event), ...card, status: 'completed', result, updatedAt } as const;
      return { type: 'operation.completed', object };
    }
    case 'OperationFailed': {
      const { failure } = event.data;
      const object = { ...requirePrevious(previous, event), status: 'failed', failure, updatedAt } as const;
      return { type: 'operation.failed', object };
    }
    default:
      return undefined;
  }
}

function queued(order: Order): OperationObject {
  const { operationId: id, environment, type, amount, fee, total, productId, createdAt } = order;
  const { holderId, name, recipient, metadata } = order;
  // The card of an issue does not exist yet.
  const cardId = type === 'issue' ? undefined : order.cardId;
  return {
    ...{ id, environment, type, status: 'queued', amount, fee, total, currency: 'USD', productId },
    ...(holderId !== undefined && { holderId }),
    ...(cardId !== undefined && { cardId }),
    ...(name !== undefined && { name }),
    ...(recipient !== undefined && { recipient }),
    ...(metadata !== undefined && { metadata }),
    ...{ result: {}, createdAt, updatedAt: createdAt },
  };
}
