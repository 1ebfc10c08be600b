import type { OperationStatus } from './operation.messages';
import { type OperationState, statusOf } from './operation.state';

export interface OperationAnswer {
  readonly status: OperationStatus;
  /** The issuer call in progress. There is at most one call per operation. */
  readonly callId?: string;
}

export function operationAnswer(state: OperationState): OperationAnswer {
  const { phase, callId } = state;
  return { status: statusOf(state), callId: phase === 'calling' ? callId : undefined };
}
