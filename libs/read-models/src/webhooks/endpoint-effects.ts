import type { EndpointEvent, ResendRequested } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { cancelDeliveries, resetFailures } from './delivery-rows';
import { type EndpointRow, isReceiving, isSubscribedTo } from './endpoint-rows';
import type { Endpoints } from './endpoints';
import type { PublishedEvents } from './published-events';
import { requestRecovery } from './recovery-rows';
import type { SourceEvent } from './source-events';
import { findEvent } from './stored-events';

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

/** To all subscribed endpoints, or to the given one regardless of its subscription. */
async function resend(
  { accountId, eventId, endpointId }: ResendRequested['data'],
  source: SourceEvent,
  endpoints: Endpoints,
  published: PublishedEvents,
  tx: PoolClient,
): Promise<void> {
  const receiving = endpoints.ofAccount(accountId);
  const [first] = receiving;
  if (first === undefined) return;
  // An event of another account must not be sent.
  const event = await findEvent({ companyId: first.company_id, environment: first.environment }, eventId, tx);
  if (event === undefined) return;
  const isMeant = (endpoint: EndpointRow) =>
    endpointId === undefined
      ? isSubscribedTo(endpoint, event.type, event.data.object['id'] as string)
      : endpoint.id === endpointId;
  published.resend(source, eventId, receiving.filter(isMeant));
}
