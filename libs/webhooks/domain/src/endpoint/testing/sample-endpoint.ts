import type {
  EndpointCommand,
  EndpointEvent,
  EndpointRegistered,
  RegisterEndpoint,
  UpdateEndpoint,
} from '../endpoint.messages';

export const now = '2030-01-01T00:00:00.000Z';
export const account = { accountId: 'acme-sandbox', companyId: 'acme', environment: 'sandbox' } as const;
const { accountId } = account;

type Changes = Partial<Omit<EndpointRegistered['data'], 'createdAt'>>;

const registration = {
  ...{ ...account, endpointId: 'e1', url: 'https://example.com/hooks', secretId: 's1' },
  ...{ requestId: 'r1', fingerprint: 'f1' },
};

export const register = (changes: Changes = {}): RegisterEndpoint => ({
  type: 'RegisterEndpoint',
  data: { ...registration, ...changes, now },
});
export const registered = (changes: Changes = {}): EndpointRegistered => ({
  type: 'EndpointRegistered',
  data: { ...registration, ...changes, createdAt: now },
});
export const secondEndpoint: Changes = { endpointId: 'e2', secretId: 's2', requestId: 'r2', fingerprint: 'f2' };

export const update = (changes: Partial<UpdateEndpoint['data']>, requestId = 'u1'): EndpointCommand => ({
  type: 'UpdateEndpoint',
  data: { accountId, endpointId: 'e1', requestId, now, ...changes },
});
type Settings = { url?: string; events?: readonly ['card.created']; description?: string };
export const updated = (settings: Settings = {}, requestId = 'u1') => {
  const of = { accountId, endpointId: 'e1', url: registration.url };
  return { type: 'EndpointUpdated', data: { ...of, ...settings, requestId, requestedAt: now } } as const;
};

type Reason = 'gone' | 'failing' | 'by_company';
export const disable = (reason: Reason, endpointId = 'e1', at = now): EndpointCommand => ({
  type: 'DisableEndpoint',
  data: { accountId, endpointId, reason, now: at },
});
export const disabled = (reason: Reason, disabledAt = now): EndpointEvent => ({
  type: 'EndpointDisabled',
  data: { accountId, endpointId: 'e1', reason, disabledAt },
});
export const enabled: EndpointEvent = {
  type: 'EndpointEnabled',
  data: { accountId, endpointId: 'e1', enabledAt: now },
};

export const remove = (endpointId = 'e1'): EndpointCommand => ({
  type: 'DeleteEndpoint',
  data: { accountId, endpointId, now },
});
export const removed = (endpointId = 'e1'): EndpointEvent => ({
  type: 'EndpointDeleted',
  data: { accountId, endpointId, deletedAt: now },
});

const overlapUntil = '2030-01-02T00:00:00.000Z';
export const rotate = (secretId: string, requestId: string, endpointId = 'e1'): EndpointCommand => ({
  type: 'RotateEndpointSecret',
  data: { accountId, endpointId, secretId, requestId, overlapUntil, now },
});
export const rotated = (secretId: string, previousSecretId: string, requestId: string): EndpointEvent => ({
  type: 'EndpointSecretRotated',
  data: { accountId, endpointId: 'e1', secretId, previousSecretId, requestId, overlapUntil, requestedAt: now },
});

export const testEndpoint = (requestId = 't1', endpointId = 'e1'): EndpointCommand => ({
  type: 'TestEndpoint',
  data: { accountId, endpointId, requestId, now },
});
export const tested = (requestId = 't1', endpointId = 'e1'): EndpointEvent => ({
  type: 'EndpointTested',
  data: { accountId, endpointId, requestId, requestedAt: now },
});

export const recover = (since: string, requestId = 'c1'): EndpointCommand => ({
  type: 'RecoverEndpoint',
  data: { accountId, endpointId: 'e1', requestId, since, now },
});
export const recovery = (since: string, requestId = 'c1'): EndpointEvent => ({
  type: 'RecoveryRequested',
  data: { accountId, endpointId: 'e1', requestId, since, requestedAt: now },
});

export const resend = (endpointId?: string, requestId = 'x1', eventId = 'evt_1'): EndpointCommand => ({
  type: 'ResendEvent',
  data: { accountId, eventId, ...(endpointId !== undefined && { endpointId }), requestId, now },
});
export const resent = (endpointId?: string, requestId = 'x1', eventId = 'evt_1'): EndpointEvent => ({
  type: 'ResendRequested',
  data: { accountId, eventId, ...(endpointId !== undefined && { endpointId }), requestId, requestedAt: now },
});

type SampleType = 'card.created' | 'holder.updated';
export const trigger = (
  eventType: SampleType,
  requestId = 'y1',
  environment: 'sandbox' | 'live' = 'sandbox',
): EndpointCommand => ({
  type: 'TriggerSample',
  data: { ...account, environment, eventType, requestId, now },
});
export const triggered = (eventType: SampleType, requestId = 'y1'): EndpointEvent => ({
  type: 'SampleTriggered',
  data: { ...account, eventType, requestId, requestedAt: now },
});
