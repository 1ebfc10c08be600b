import { assert } from '@florin/kernel';
import { type OperationOrder, type OperationState, type OperationStatus, statusOf } from '@florin/operations-domain';

/** What commands to an operation are answered with. */
export interface OperationAnswer {
  /** The order that stands. It may be another one than the command brought. */
  readonly order: OperationOrder;
  readonly status: OperationStatus;
  /** The only call that may ever be made, while its answer is waited for. */
  readonly callId?: string;
}

export function operationAnswer(state: OperationState): OperationAnswer {
  const { order, phase, callId } = state;
  assert(order !== undefined, 'an accepted command leaves an operation behind');
  return { order, status: statusOf(state), callId: phase === 'calling' ? callId : undefined };
}
