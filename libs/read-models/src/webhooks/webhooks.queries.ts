import { isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { EndpointAnswer, WebhookEvent } from '@florin/webhooks-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { type Page, pageValues } from '../keyset-page';
import { ReadModelQueries } from '../read-model-queries';
import { type DeliveryRecord, deliveryView, listDeliveries } from './delivery-record';
import { type EndpointColumns, endpointView } from './endpoint-rows';
import { webhooksProjectionName } from './webhooks.projection';
import type { DeliveryFilter, DeliveryView, WebhookEventFilter } from './webhooks.views';

const listEndpoints = {
  name: 'list-webhook-endpoints',
  text: `
    SELECT id, url, events, description, status, disabled_reason, created_at FROM webhooks.endpoints
    WHERE account_id = $1 AND ($2::uuid IS NULL OR id = $2) AND NOT deleted
    ORDER BY created_at DESC, id DESC`,
};

const findEvent = {
  name: 'find-webhook-event',
  text: `
    SELECT webhooks.event_body(e) AS body FROM webhooks.events AS e
    WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

/** Like `newestFirstSql`, but for ids that are no UUIDs; all of them sort before a tilde. */
const listText = (ofType: string) => `
  SELECT webhooks.event_body(e) AS body FROM webhooks.events AS e
  WHERE company_id = $1 AND environment = $2
    AND ${ofType}
    AND created_at >= coalesce($4::timestamptz, '-infinity')
    AND created_at <= least($5::timestamptz, $6::timestamptz, 'infinity')
    AND (created_at, id) < (coalesce($6::timestamptz, 'infinity'), coalesce($7::text, '~'))
  ORDER BY created_at DESC, id DESC
  LIMIT $8::bigint`;

/** A separate statement for one type, so that Postgres uses the index on types. */
const listEvents = { name: 'list-webhook-events', text: listText('$3::text IS NULL') };
const listOfType = { name: 'list-webhook-events-of-type', text: listText('type = $3') };

const eventIdPattern = /^evt_[0-9a-f]{32}$/;

/** Reads include all writes acknowledged before. Deliveries have their current status. */
@Injectable()
export class WebhookQueries extends ReadModelQueries {
  /** All that are not deleted, the newest first. */
  async endpoints(owner: AccountOwner): Promise<readonly EndpointAnswer[]> {
    return this.readEndpoints(owner);
  }

  async endpoint(owner: AccountOwner, id: string): Promise<EndpointAnswer | undefined> {
    return isUuid(id) ? (await this.readEndpoints(owner, id))[0] : undefined;
  }

  /** The newest first. */
  async events(owner: AccountOwner, filter: WebhookEventFilter, page: Page): Promise<readonly WebhookEvent[]> {
    await this.waitUntilCaughtUp({ name: webhooksProjectionName });
    const { type, createdFrom, createdTo } = filter;
    const values = [owner.companyId, owner.environment, type, createdFrom, createdTo, ...pageValues(page)];
    const query = type === undefined ? listEvents : listOfType;
    const { rows } = await this.read(owner, ({ pool }) => pool.query<{ body: string }>({ ...query, values }));
    return rows.map(eventView);
  }

  async event(owner: AccountOwner, id: string): Promise<WebhookEvent | undefined> {
    if (!eventIdPattern.test(id)) return undefined;
    await this.waitUntilCaughtUp({ name: webhooksProjectionName });
    const values = [id, owner.companyId, owner.environment];
    const { rows } = await this.read(owner, ({ pool }) => pool.query<{ body: string }>({ ...findEvent, values }));
    return rows.map(eventView)[0];
  }

  /** What was sent to an endpoint, or is to be, the newest first. */
  async deliveries(
    owner: AccountOwner,
    endpointId: string,
    { status }: DeliveryFilter,
    page: Page,
  ): Promise<readonly DeliveryView[]> {
    if (!isUuid(endpointId)) return [];
    await this.waitUntilCaughtUp({ name: webhooksProjectionName });
    const values = [endpointId, owner.companyId, owner.environment, status, ...pageValues(page)];
    const query = listDeliveries[status ?? 'all'];
    const { rows } = await this.read(owner, ({ pool }) => pool.query<DeliveryRecord>({ ...query, values }));
    return rows.map(deliveryView);
  }

  private async readEndpoints(owner: AccountOwner, id?: string): Promise<readonly EndpointAnswer[]> {
    await this.waitUntilCaughtUp({ name: webhooksProjectionName });
    const values = [accountIdOf(owner.companyId, owner.environment), id];
    const { rows } = await this.read(owner, ({ pool }) => pool.query<EndpointColumns>({ ...listEndpoints, values }));
    return rows.map(endpointView);
  }
}

function eventView({ body }: { readonly body: string }): WebhookEvent {
  return JSON.parse(body) as WebhookEvent;
}
