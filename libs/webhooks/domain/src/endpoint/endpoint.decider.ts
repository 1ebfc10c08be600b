import {
  type Aggregate,
  assert,
  assertNever,
  dropOldRequests,
  idempotencyConflict,
  isBeyondHorizon,
  noRequests,
  refuse,
  rememberRequest,
  requestOutdated,
  retainedRequests,
  type Retention,
} from '@florin/kernel';
import { endpointAnswer } from './endpoint-answer';
import {
  type DeleteEndpoint,
  type DisableEndpoint,
  type EndpointAnswer,
  type EndpointCommand,
  type EndpointEvent,
  endpointEventVersions,
  type EndpointRefusal,
  type EndpointRegistered,
  type RegisterEndpoint,
} from './endpoint.messages';
import { acceptedFingerprint, acceptRequest, isAcceptedRequest } from './endpoint-requests';
import { settingsOf } from './endpoint-settings';
import {
  type Endpoint,
  type EndpointDecision,
  type EndpointDirectory,
  endpointNotFound,
  registrationOf,
} from './endpoint-directory';

export const maximumEndpoints = 20;

export const endpointAggregate: Aggregate<
  EndpointDirectory,
  EndpointCommand,
  EndpointEvent,
  EndpointRefusal,
  EndpointAnswer | null
> = {
  category: 'webhooks',
  stateVersion: 1,
  versions: endpointEventVersions,

  initialState: () => ({ endpoints: new Map(), deleted: new Map(), requests: noRequests() }),

  decide: (command, directory) => {
    switch (command.type) {
      case 'RegisterEndpoint':
        return register(command, directory);
      case 'DisableEndpoint':
      case 'DeleteEndpoint':
        return change(command, directory);
      default:
        return acceptRequest(command, directory);
    }
  },

  evolve: (directory, event) => {
    if (event.type === 'EndpointRegistered') {
      directory.endpoints.set(event.data.endpointId, newEndpoint(event.data));
      return directory;
    }
    if (isAcceptedRequest(event) && event.data.requestId !== undefined) {
      const { requestId, requestedAt } = event.data;
      rememberRequest(directory.requests, requestId, requestedAt, acceptedFingerprint(event));
    }
    if (event.type === 'ResendRequested' || event.type === 'SampleTriggered') return directory;
    const endpoint = directory.endpoints.get(event.data.endpointId);
    assert(endpoint !== undefined, () => `${event.type} before the registration of ${event.data.endpointId}`);
    if (event.type === 'EndpointDeleted') remove(directory, endpoint, event.data.deletedAt);
    else evolveEndpoint(endpoint, event);
    return directory;
  },

  answer: endpointAnswer,
};

function newEndpoint(registered: EndpointRegistered['data']): Endpoint {
  const { secretId } = registered;
  const settings = settingsOf(registered);
  return { registered, settings, status: 'enabled', statusSince: '', secretId };
}

/** A company can register and delete endpoints without limit. */
export const retainedDeletions: Retention = { ...retainedRequests, max: 1_000 };

function remove({ endpoints, deleted, requests }: EndpointDirectory, endpoint: Endpoint, deletedAt: string): void {
  const { registered } = endpoint;
  endpoints.delete(registered.endpointId);
  deleted.set(registered.endpointId, { registered, requestedAt: registered.createdAt });
  dropOldRequests(deleted, requests, deletedAt, retainedDeletions);
}

type Later = Exclude<
  EndpointEvent,
  { type: 'EndpointRegistered' | 'EndpointDeleted' | 'ResendRequested' | 'SampleTriggered' }
>;

function evolveEndpoint(endpoint: Endpoint, { type, data }: Later): void {
  switch (type) {
    case 'EndpointUpdated':
      endpoint.settings = settingsOf(data);
      return;
    case 'EndpointEnabled':
      endpoint.status = 'enabled';
      endpoint.statusSince = later(endpoint.statusSince, data.enabledAt);
      delete endpoint.disabledReason;
      return;
    case 'EndpointDisabled':
      endpoint.status = 'disabled';
      endpoint.statusSince = later(endpoint.statusSince, data.disabledAt);
      endpoint.disabledReason = data.reason;
      return;
    case 'EndpointSecretRotated':
      endpoint.secretId = data.secretId;
      return;
    case 'EndpointTested':
    case 'RecoveryRequested':
      return;
    default:
      assertNever(type);
  }
}

function register({ data }: RegisterEndpoint, directory: EndpointDirectory): EndpointDecision {
  const { now, ...registration } = data;
  const known = registrationOf(directory, registration.endpointId);
  if (known !== undefined) {
    const repeated = known.requestId === registration.requestId && known.fingerprint === registration.fingerprint;
    return repeated ? [] : idempotencyConflict();
  }
  if (isBeyondHorizon(directory.requests, now)) return requestOutdated(now);
  const existing = directory.endpoints.size;
  if (existing >= maximumEndpoints) {
    return refuse('too_many_endpoints', `There are ${existing} endpoints already. Delete one before adding another`);
  }
  return [{ type: 'EndpointRegistered', data: { ...registration, createdAt: now } }];
}

/** Ignores deleted endpoints, and endpoints that were enabled since the decision. */
function change({ type, data }: DisableEndpoint | DeleteEndpoint, directory: EndpointDirectory): EndpointDecision {
  const { accountId, endpointId, now } = data;
  const endpoint = directory.endpoints.get(endpointId);
  if (type === 'DeleteEndpoint' && directory.deleted.has(endpointId)) return [];
  if (endpoint === undefined) return endpointNotFound();
  switch (type) {
    case 'DisableEndpoint':
      if (endpoint.status === 'disabled' || now <= endpoint.statusSince) return [];
      return [{ type: 'EndpointDisabled', data: { accountId, endpointId, reason: data.reason, disabledAt: now } }];
    case 'DeleteEndpoint':
      return [{ type: 'EndpointDeleted', data: { accountId, endpointId, deletedAt: now } }];
    default:
      return assertNever(type);
  }
}

function later(time: string, other: string): string {
  return time > other ? time : other;
}
