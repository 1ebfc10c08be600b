import type { Endpoint, EndpointDecision } from './endpoint-directory';
import type { EndpointEvent, EndpointSettings, UpdateEndpoint } from './endpoint.messages';

/** Unchanged settings are recorded, too, so that a duplicate of the request is recognized. */
export function update({ data }: UpdateEndpoint, endpoint: Endpoint): EndpointDecision {
  const { accountId, endpointId, status = endpoint.status, requestId, now } = data;
  const of = { accountId, endpointId };
  const settings = updatedSettings(endpoint.settings, data);
  const updated: EndpointEvent = { type: 'EndpointUpdated', data: { ...of, ...settings, requestId, requestedAt: now } };
  if (status === endpoint.status) return [updated];
  if (status === 'enabled') return [updated, { type: 'EndpointEnabled', data: { ...of, enabledAt: now } }];
  return [updated, { type: 'EndpointDisabled', data: { ...of, reason: 'by_company', disabledAt: now } }];
}

function updatedSettings(before: EndpointSettings, changes: UpdateEndpoint['data']): EndpointSettings {
  const { url = before.url, events = before.events, description = before.description } = changes;
  return settingsOf({ url, events: events ?? undefined, description: description ?? undefined });
}

/** Removes undefined members, as JSON does. */
export function settingsOf({ url, events, description }: EndpointSettings): EndpointSettings {
  return { url, ...(events !== undefined && { events }), ...(description !== undefined && { description }) };
}
