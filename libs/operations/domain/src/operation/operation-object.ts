import type { MoneyText } from '@florin/kernel';
import type { OperationFailure, OperationResult, OperationStatus, OperationType, Order } from './operation.messages';

/** The operation as the API and webhooks return it. */
export interface OperationObject {
  readonly id: string;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  /** Empty until the operation is completed. */
  readonly result: OperationResult;
  readonly failure?: OperationFailure;
  readonly createdAt: string;
}

export function queuedOperation(order: Order): OperationObject {
  const { operationId: id, type, amount, fee, total, createdAt } = order;
  return { id, type, status: 'queued', amount, fee, total, result: {}, createdAt };
}
