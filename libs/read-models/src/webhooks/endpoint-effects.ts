import { accountIdOf } from '@florin/ledger-domain';
import type { EndpointEvent, ResendRequested, WebhookEvent } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { cancelDeliveries, resetFailures } from './delivery-rows';
import { isReceiving, isSubscribedTo } from './endpoint-rows';
import type { Endpoints } from './endpoints';
import type { PublishedEvents } from './published-events';
import { requestRecovery } from './recovery-rows';
import type { SourceEvent } from './source-events';

/** Applies an endpoint event to the deliveries. It depends on all earlier events, which are therefore written first. */
export async function applyToDeliveries(
  { type, data }: EndpointEvent,
  source: SourceEvent,
  endpoints: Endpoints,
  published: PublishedEvents,
  tx: PoolClient,
): Promise<void> {
  if (!published.isNew(source)) return;
  switch (type) {
    case 'ResendRequested':
      await published.flush();
      return resend(data, source, endpoints, published, tx);
    case 'RecoveryRequested':
      return isReceiving(endpoints.get(data.endpointId)) ? requestRecovery(data, source, tx) : undefined;
    case 'EndpointDisabled':
    case 'EndpointDeleted':
      await published.flush();
      return cancelDeliveries(data.endpointId, tx);
    case 'EndpointEnabled':
      return resetFailures(data.endpointId, tx);
    default:
  }
}

const eventIdPattern = /^evt_[0-9a-f]{32}$/;

/** To all subscribed endpoints, or to the given one regardless of its subscription. */
async function resend(
  { accountId, eventId, endpointId }: ResendRequested['data'],
  source: SourceEvent,
  endpoints: Endpoints,
  published: PublishedEvents,
  tx: PoolClient,
): Promise<void> {
  if (!eventIdPattern.test(eventId)) return;
  const text = 'SELECT type, object_id, company_id, environment FROM webhooks.events WHERE id = $1';
  type Found = { type: WebhookEvent['type']; object_id: string; company_id: string; environment: string };
  const { rows } = await tx.query<Found>({ name: 'webhook-event-to-resend', text, values: [eventId] });
  for (const { type, object_id, company_id, environment } of rows) {
    // An event of another account must not be sent.
    if (accountIdOf(company_id, environment) !== accountId) continue;
    const isMeant = (endpoint: Parameters<typeof isSubscribedTo>[0]) =>
      endpointId === undefined ? isSubscribedTo(endpoint, type, object_id) : endpoint.id === endpointId;
    published.resend(source, eventId, endpoints.ofAccount(accountId).filter(isMeant));
  }
}
