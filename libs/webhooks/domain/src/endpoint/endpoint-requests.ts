import {
  assertNever,
  canonicalJson,
  idempotencyConflict,
  isBeyondHorizon,
  refuse,
  requestOutdated,
  sha256,
} from '@florin/kernel';
import { type EndpointDecision, type EndpointDirectory, endpointNotFound } from './endpoint-directory';
import type {
  EndpointEvent,
  EndpointSecretRotated,
  EndpointTested,
  EndpointUpdated,
  RecoverEndpoint,
  RecoveryRequested,
  ResendEvent,
  ResendRequested,
  RotateEndpointSecret,
  SampleTriggered,
  TestEndpoint,
  TriggerSample,
  UpdateEndpoint,
} from './endpoint.messages';
import { update } from './endpoint-settings';

/** Requests that are executed once each. */
export type EndpointRequest =
  UpdateEndpoint | RotateEndpointSecret | TestEndpoint | RecoverEndpoint | ResendEvent | TriggerSample;

export type AcceptedRequest =
  EndpointUpdated | EndpointSecretRotated | EndpointTested | RecoveryRequested | ResendRequested | SampleTriggered;

const acceptedEventOf: Readonly<Record<EndpointRequest['type'], AcceptedRequest['type']>> = {
  UpdateEndpoint: 'EndpointUpdated',
  RotateEndpointSecret: 'EndpointSecretRotated',
  TestEndpoint: 'EndpointTested',
  RecoverEndpoint: 'RecoveryRequested',
  ResendEvent: 'ResendRequested',
  TriggerSample: 'SampleTriggered',
};

const acceptedEventTypes: readonly string[] = Object.values(acceptedEventOf);

export function isAcceptedRequest(event: EndpointEvent): event is AcceptedRequest {
  return acceptedEventTypes.includes(event.type);
}

/** Identifies the content of a request, so that another request with the same id is refused. Ignores the time. */
export function requestFingerprint(request: EndpointRequest): string {
  return fingerprintOf(acceptedEventOf[request.type], request.data);
}

/** Equal to that of the request. */
export function acceptedFingerprint({ type, data }: AcceptedRequest): string {
  return fingerprintOf(type, data);
}

function fingerprintOf(type: AcceptedRequest['type'], data: EndpointRequest['data'] | AcceptedRequest['data']): string {
  const { endpointId, eventId, since, eventType } = data as Partial<Record<string, unknown>>;
  return sha256(canonicalJson({ type, endpointId, eventId, since, eventType }));
}

export function acceptRequest(request: EndpointRequest, directory: EndpointDirectory): EndpointDecision {
  const { requestId, now } = request.data;
  const known = directory.requests.accepted.get(requestId);
  if (known !== undefined) return known.content === requestFingerprint(request) ? [] : idempotencyConflict();
  if (isBeyondHorizon(directory.requests, now)) return requestOutdated(now);
  if (request.type === 'TriggerSample') return triggerSample(request);
  if (request.type === 'ResendEvent' && request.data.endpointId === undefined) return resend(request);
  const endpoint = directory.endpoints.get(request.data.endpointId!);
  if (endpoint === undefined) return endpointNotFound();
  if (request.type === 'UpdateEndpoint') return update(request, endpoint);
  if (request.type === 'RotateEndpointSecret') return rotate(request, endpoint.secretId);
  if (endpoint.status === 'disabled') {
    return refuse('endpoint_disabled', 'The endpoint is disabled. Enable it first');
  }
  return send(request);
}

function rotate({ data }: RotateEndpointSecret, previousSecretId: string): EndpointDecision {
  const { accountId, endpointId, secretId, overlapUntil, requestId, now: requestedAt } = data;
  const rotated = { accountId, endpointId, secretId, previousSecretId, overlapUntil, requestId, requestedAt };
  return [{ type: 'EndpointSecretRotated', data: rotated }];
}

function send(request: TestEndpoint | RecoverEndpoint | ResendEvent): EndpointDecision {
  const { type } = request;
  switch (type) {
    case 'TestEndpoint': {
      const { now, ...data } = request.data;
      return [{ type: 'EndpointTested', data: { ...data, requestedAt: now } }];
    }
    case 'RecoverEndpoint': {
      const { now, ...data } = request.data;
      return [{ type: 'RecoveryRequested', data: { ...data, requestedAt: now } }];
    }
    case 'ResendEvent':
      return resend(request);
    default:
      return assertNever(type);
  }
}

function resend({ data: { now, ...data } }: ResendEvent): EndpointDecision {
  return [{ type: 'ResendRequested', data: { ...data, requestedAt: now } }];
}

function triggerSample({ data: { now, ...data } }: TriggerSample): EndpointDecision {
  if (data.environment !== 'sandbox') {
    return refuse('sandbox_only', 'Samples exist in the sandbox only. Use a sandbox key');
  }
  return [{ type: 'SampleTriggered', data: { ...data, requestedAt: now } }];
}
