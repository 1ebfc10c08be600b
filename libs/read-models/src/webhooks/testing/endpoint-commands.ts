import { deterministicId } from '@florin/kernel';
import type { EndpointCommand, UpdateEndpoint, WebhookEventType } from '@florin/webhooks-domain';
import type { Owner } from '../../testing/owners';

const now = '2030-01-01T09:00:00.000Z';

export const endpointId = (number: number): string => deterministicId('endpoint', `${number}`);
export const secretId = (number: number): string => deterministicId('secret', `${number}`);

const accountIdOf = ({ companyId, environment }: Owner): string => `${companyId}-${environment}`;
const idsOf = (number: number, owner: Owner) => ({
  accountId: accountIdOf(owner),
  endpointId: endpointId(number),
  now,
});

export const register = (
  number: number,
  owner: Owner,
  events?: readonly WebhookEventType[],
  description?: string,
): EndpointCommand => ({
  type: 'RegisterEndpoint',
  data: {
    ...{ ...idsOf(number, owner), ...owner, url: `https://example.com/${number}`, events, description },
    ...{ secretId: secretId(number), requestId: `r${number}`, fingerprint: 'f' },
  },
});

export const update = (number: number, owner: Owner, changes: Partial<UpdateEndpoint['data']>): EndpointCommand => ({
  type: 'UpdateEndpoint',
  data: { ...idsOf(number, owner), requestId: `u${number} ${JSON.stringify(changes)}`, ...changes },
});

export const disable = (number: number, owner: Owner, reason: 'gone' | 'failing' = 'gone'): EndpointCommand => ({
  type: 'DisableEndpoint',
  data: { ...idsOf(number, owner), reason },
});

export const remove = (number: number, owner: Owner): EndpointCommand => ({
  type: 'DeleteEndpoint',
  data: idsOf(number, owner),
});

export const rotate = (number: number, owner: Owner, secret: number, overlapUntil: string): EndpointCommand => ({
  type: 'RotateEndpointSecret',
  data: { ...idsOf(number, owner), secretId: secretId(secret), requestId: `rotate-${secret}`, overlapUntil },
});

export const test = (number: number, owner: Owner, requestId: string): EndpointCommand => ({
  type: 'TestEndpoint',
  data: { ...idsOf(number, owner), requestId },
});

export const recover = (number: number, owner: Owner, requestId: string, since: string): EndpointCommand => ({
  type: 'RecoverEndpoint',
  data: { ...idsOf(number, owner), requestId, since },
});

export const resend = (owner: Owner, eventId: string, requestId: string, number?: number): EndpointCommand => ({
  type: 'ResendEvent',
  data: {
    ...{ accountId: accountIdOf(owner), eventId, requestId, now },
    ...(number !== undefined && { endpointId: endpointId(number) }),
  },
});

export const trigger = (owner: Owner, eventType: WebhookEventType, requestId: string): EndpointCommand => ({
  type: 'TriggerSample',
  data: { accountId: accountIdOf(owner), ...owner, eventType, requestId, now },
});
