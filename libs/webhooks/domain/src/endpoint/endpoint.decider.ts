import { type Aggregate, assert, assertNever, idempotencyConflict, refuse } from '@florin/kernel';
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
import { acceptRequest, isAcceptedRequest, contentOf } from './endpoint-requests';
import { settingsOf } from './endpoint-settings';
import { type Endpoint, type EndpointDecision, type EndpointDirectory, endpointNotFound } from './endpoint-directory';

export const maximumEndpoints = 20;

export const endpointAggregate: Aggregate<
  EndpointDirectory,
  EndpointCommand,
  EndpointEvent,
  EndpointRefusal,
  EndpointAnswer | null
> = {
  category: 'webhooks',
  versions: endpointEventVersions,

  initialState: () => ({ endpoints: new Map(), granted: new Map() }),

  decide: (command, directory) => {
    switch (command.type) {
      case 'RegisterEndpoint':
        return register(command, directory);
      case 'DisableEndpoint':
      case 'DeleteEndpoint':
        return change(command, directory.endpoints.get(command.data.endpointId));
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
      directory.granted.set(event.data.requestId, contentOf(event));
    }
    if (event.type === 'ResendRequested' || event.type === 'SampleTriggered') return directory;
    const endpoint = directory.endpoints.get(event.data.endpointId);
    assert(endpoint !== undefined, () => `${event.type} before the registration of ${event.data.endpointId}`);
    evolveEndpoint(endpoint, event);
    return directory;
  },

  answer: endpointAnswer,
};

function newEndpoint(registered: EndpointRegistered['data']): Endpoint {
  const { secretId } = registered;
  const settings = settingsOf(registered);
  return { registered, settings, status: 'enabled', statusSince: '', secretId, deleted: false };
}

type Later = Exclude<EndpointEvent, { type: 'EndpointRegistered' | 'ResendRequested' | 'SampleTriggered' }>;

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
    case 'EndpointDeleted':
      endpoint.deleted = true;
      return;
    case 'EndpointTested':
    case 'RecoveryRequested':
      return;
    default:
      assertNever(type);
  }
}

function register({ data }: RegisterEndpoint, { endpoints }: EndpointDirectory): EndpointDecision {
  const { now, ...registration } = data;
  const known = endpoints.get(registration.endpointId)?.registered;
  if (known !== undefined) {
    const repeated = known.requestId === registration.requestId && known.fingerprint === registration.fingerprint;
    return repeated ? [] : idempotencyConflict();
  }
  const existing = [...endpoints.values()].filter(({ deleted }) => !deleted).length;
  if (existing >= maximumEndpoints) {
    return refuse('too_many_endpoints', `There are ${existing} endpoints already. Delete one before adding another`);
  }
  return [{ type: 'EndpointRegistered', data: { ...registration, createdAt: now } }];
}

/** Ignores deleted endpoints, and endpoints that were enabled since the decision. */
function change({ type, data }: DisableEndpoint | DeleteEndpoint, endpoint: Endpoint | undefined): EndpointDecision {
  const { accountId, endpointId, now } = data;
  if (type === 'DeleteEndpoint' && endpoint?.deleted) return [];
  if (endpoint === undefined || endpoint.deleted) return endpointNotFound();
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
