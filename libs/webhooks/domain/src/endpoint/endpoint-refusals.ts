import { type Refusal, refuse } from '@florin/kernel';
import type { EndpointRefusal } from './endpoint.messages';

export function endpointNotFound(): Refusal<EndpointRefusal> {
  return refuse('not_found', 'There is no such webhook endpoint. Check the id');
}

export function idempotencyConflict(): Refusal<EndpointRefusal> {
  return refuse(
    'idempotency_conflict',
    'This key was used before for another request. Repeat that one unchanged, or use a new key',
  );
}
