import type { Metadata, MoneyText } from '@florin/kernel';
import type { OperationFailure, OperationResult, OperationStatus, OperationType, Order } from './operation.messages';

/** The operation as the API and webhooks return it. */
export interface OperationObject {
  readonly id: string;
  readonly environment: Order['environment'];
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  readonly currency: 'USD';
  readonly productId: string;
  readonly holderId?: string;
  /** Of an issue, once the card exists. */
  readonly cardId?: string;
  readonly name?: string;
  readonly recipient?: string;
  readonly metadata?: Metadata;
  /** Empty until the operation is completed. */
  readonly result: OperationResult;
  readonly failure?: OperationFailure;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export function queuedOperation(order: Order): OperationObject {
  const { operationId: id, environment, type, amount, fee, total, productId, createdAt } = order;
  const { holderId, name, recipient, metadata } = order;
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
