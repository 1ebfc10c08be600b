import { type Refusal, refuse } from '@florin/kernel';
import type { EndpointRefusal } from './endpoint.messages';

export function noSuchEndpoint(): Refusal<EndpointRefusal> {
  return refuse('not_found', 'There is no such webhook endpoint: check the id');
}

export function otherRequest(): Refusal<EndpointRefusal> {
  return refuse(
    'idempotency_conflict',
    'This request was made before with other data: repeat it unchanged, or send the new one under a new key',
  );
}
