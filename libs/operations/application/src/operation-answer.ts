import { type OperationState, type OperationStatus, statusOf } from '@florin/operations-domain';

export interface OperationAnswer {
  readonly status: OperationStatus;
  /** The only call that may be made, until its response is recorded. */
  readonly callId?: string;
}

export function operationAnswer(state: OperationState): OperationAnswer {
  const { phase, callId } = state;
  return { status: statusOf(state), callId: phase === 'calling' ? callId : undefined };
}
