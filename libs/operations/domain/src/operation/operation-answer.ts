import { assert } from '@florin/kernel';
import type { OperationOrder, OperationStatus } from './operation.messages';
import { type OperationState, statusOf } from './operation.state';

/** What the sender of an operation command gets back. */
export interface OperationAnswer {
  /** The stored order, which may differ from the one in the command. */
  readonly order: OperationOrder;
  readonly status: OperationStatus;
  /** The issuer call in progress. There is at most one call per operation. */
  readonly callId?: string;
}

export function operationAnswer(state: OperationState): OperationAnswer {
  const { order, phase, callId } = state;
  assert(order !== undefined, 'an accepted command leaves an operation behind');
  return { order, status: statusOf(state), callId: phase === 'calling' ? callId : undefined };
}
