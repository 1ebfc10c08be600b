import { accountIdOf } from '@florin/ledger-domain';
import type { WebhookEvent } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { insertDeliveries, type NewDelivery } from './delivery-rows';
import { type EndpointRow, isSubscribedTo } from './endpoint-rows';
import type { Endpoints } from './endpoints';
import type { EventOwner } from './event-owner';
import { type EventRow, insertEvents, withoutEarlierForm } from './event-rows';
import type { LatestObjects } from './latest-objects';
import type { SourceEvent } from './source-events';

/** An event to publish to a company. */
export interface EventToPublish {
  readonly id: WebhookEvent['id'];
  readonly type: WebhookEvent['type'];
  readonly owner: EventOwner;
  readonly objectId: string;
  readonly object: object;
}

/** Collects the events and deliveries of a batch, so that few statements write them. */
export class PublishedEvents {
  private events: EventRow[] = [];
  private deliveries: NewDelivery[] = [];

  /** Events up to `highWaterMark` were sent before and must not be sent again during a rebuild. */
  constructor(
    private readonly latest: LatestObjects,
    private readonly endpoints: Endpoints,
    private readonly highWaterMark: bigint,
    private readonly tx: PoolClient,
  ) {}

  isNew({ position }: SourceEvent): boolean {
    return position > this.highWaterMark;
  }

  publish(source: SourceEvent, { id, type, owner, objectId, object }: EventToPublish): void {
    const { companyId, environment } = owner;
    const objectVersion = (this.latest.get(objectId)?.version ?? 0) + 1;
    this.latest.set(objectId, { owner, version: objectVersion, object });
    const data = { object: object as WebhookEvent['data']['object'] };
    const event = { id, type, createdAt: source.recordedAt, environment, companyId, objectVersion, data };
    this.events.push({ event, objectId, position: source.position });
    const enabled = this.endpoints.ofAccount(accountIdOf(companyId, environment));
    const recipients = enabled.filter((endpoint) => isSubscribedTo(endpoint, type, objectId));
    this.send(source, id, recipients, false);
  }

  resend(cause: SourceEvent, eventId: string, recipients: readonly EndpointRow[]): void {
    this.send(cause, eventId, recipients, true);
  }

  /** Writes all events and deliveries collected so far. */
  async flush(): Promise<void> {
    const isRebuilt = ({ position }: EventRow) => position <= this.highWaterMark;
    const missing = await withoutEarlierForm(this.events.filter(isRebuilt), this.tx);
    await insertEvents([...missing, ...this.events.filter((row) => !isRebuilt(row))], this.tx);
    await insertDeliveries(this.deliveries, this.tx);
    this.events = [];
    this.deliveries = [];
  }

  private send(cause: SourceEvent, eventId: string, recipients: readonly EndpointRow[], resent: boolean): void {
    if (!this.isNew(cause)) return;
    for (const endpoint of recipients) this.deliveries.push({ eventId, endpoint, cause, resent });
  }
}
