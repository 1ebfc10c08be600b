import { isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { type EndpointAnswer, isEventId, type WebhookEvent } from '@florin/webhooks-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { type Page, pageValues } from '../keyset-page';
import { ReadModelQueries } from '../read-model-queries';
import { type DeliveryRecord, deliveryView, listDeliveries } from './delivery-record';
import { type EndpointColumns, endpointView } from './endpoint-rows';
import { findEvent, listEvents } from './stored-events';
import { webhooksProjectionName } from './webhooks.projection';
import type { DeliveryFilter, DeliveryView, WebhookEventFilter } from './webhooks.views';

const listEndpoints = {
  name: 'list-webhook-endpoints',
  text: `
    SELECT id, url, events, description, status, disabled_reason, created_at FROM webhooks.endpoints
    WHERE account_id = $1 AND ($2::uuid IS NULL OR id = $2) AND NOT deleted
    ORDER BY created_at DESC, id DESC`,
};

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
    return this.read(owner, ({ pool }) => listEvents(owner, filter, page, pool));
  }

  async event(owner: AccountOwner, id: string): Promise<WebhookEvent | undefined> {
    if (!isEventId(id)) return undefined;
    await this.waitUntilCaughtUp({ name: webhooksProjectionName });
    return this.read(owner, ({ pool }) => findEvent(owner, id, pool));
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
