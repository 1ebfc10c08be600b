import { type Refusal, refuse } from '@florin/kernel';
import type {
  DisableReason,
  EndpointEvent,
  EndpointRefusal,
  EndpointRegistered,
  EndpointSettings,
  EndpointStatus,
} from './endpoint.messages';

export interface Endpoint {
  readonly registered: EndpointRegistered['data'];
  settings: EndpointSettings;
  status: EndpointStatus;
  disabledReason?: DisableReason;
  /** The latest time of a status change: a decision to disable the endpoint from before then is outdated. */
  statusSince: string;
  /** The newest secret. */
  secretId: string;
  deleted: boolean;
}

/** All endpoints of one account, which share one limit. */
export interface EndpointDirectory {
  readonly endpoints: Map<string, Endpoint>;
  /** The content of each accepted request: a repeat has the same content. */
  readonly granted: Map<string, string>;
}

export type EndpointDecision = readonly EndpointEvent[] | Refusal<EndpointRefusal>;

export function endpointNotFound(): Refusal<EndpointRefusal> {
  return refuse('not_found', 'There is no such webhook endpoint. Check the id');
}
