import { type RecentRequests, type Refusal, refuse } from '@florin/kernel';
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
}

/** What remains of a deleted endpoint for a while, to recognize repeats of its registration and deletion. */
export interface DeletedEndpoint {
  readonly registered: EndpointRegistered['data'];
  readonly requestedAt: string;
}

/** All endpoints of one account, which share one limit. */
export interface EndpointDirectory {
  readonly endpoints: Map<string, Endpoint>;
  /** The endpoints that were deleted last, the first of them first. */
  readonly deleted: Map<string, DeletedEndpoint>;
  /** The fingerprints of the requests that were accepted last: a repeat has the same one. */
  readonly requests: RecentRequests<string>;
}

/** Of an endpoint that exists, or that was deleted lately. */
export function registrationOf(
  { endpoints, deleted }: EndpointDirectory,
  endpointId: string,
): EndpointRegistered['data'] | undefined {
  return (endpoints.get(endpointId) ?? deleted.get(endpointId))?.registered;
}

export type EndpointDecision = readonly EndpointEvent[] | Refusal<EndpointRefusal>;

export function endpointNotFound(): Refusal<EndpointRefusal> {
  return refuse('not_found', 'There is no such webhook endpoint. Check the id');
}
