import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, expectBody } from './account';
import type { ApiResponse } from './client';
import type { Received, Receiver } from './receiver';
import { until } from './until';

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events?: readonly string[];
  readonly description?: string;
  readonly status: string;
  readonly disabledReason?: string;
  readonly createdAt: string;
}

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt?: string;
  readonly lastStatusCode?: number;
  readonly lastError?: string;
  readonly createdAt: string;
  readonly log: readonly Attempt[];
}

export interface Attempt {
  readonly number: number;
  readonly at: string;
  readonly outcome: string;
  readonly statusCode?: number;
  readonly error?: string;
}

const endpoints = '/api/v1/webhook-endpoints';

/** A webhook endpoint of a company with a unique path, and the requests received there. */
export class Inbox {
  private constructor(
    private readonly account: Account,
    private readonly receiver: Receiver,
    readonly path: string,
    readonly id: string,
    /** The signing secret. */
    public secret: string,
  ) {}

  static async open(account: Account, receiver: Receiver, fields: object = {}): Promise<Inbox> {
    const path = `/${randomUUID()}`;
    const response = await account.post(endpoints, { url: receiver.url(path), ...fields });
    const { id, secret } = expectBody<Endpoint & { secret: string }>(response, 201);
    return new Inbox(account, receiver, path, id, secret);
  }

  get received(): readonly Received[] {
    return this.receiver.at(this.path);
  }

  /** Throws if any request was not signed. */
  get events(): readonly WebhookEvent[] {
    return this.received.map((received) => received.verified(this.secret));
  }

  /** The requests with this event id; more than one after a resend. */
  copiesOf(eventId: string): readonly Received[] {
    return this.received.filter((received) => received.eventId === eventId);
  }

  async untilArrived(eventId: string, times = 1): Promise<WebhookEvent> {
    const arrived = await until(
      `${eventId} has arrived ${times} times at ${this.path}`,
      () => Promise.resolve(this.copiesOf(eventId)),
      ({ length }) => length >= times,
    );
    return arrived.at(-1)!.verified(this.secret);
  }

  /** The same endpoint for a Florin that was restarted at another address. */
  movedTo(account: Account): Inbox {
    return new Inbox(account, this.receiver, this.path, this.id, this.secret);
  }

  async shown(): Promise<Endpoint> {
    return expectBody<Endpoint>(await this.account.get(`${endpoints}/${this.id}`), 200);
  }

  async change(fields: object): Promise<Endpoint> {
    return expectBody<Endpoint>(await this.account.send('PATCH', `${endpoints}/${this.id}`, { body: fields }), 200);
  }

  /** `test`, `recover` or `rotate-secret`. */
  call(verb: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<ApiResponse> {
    return this.account.post(`${endpoints}/${this.id}/${verb}`, body, headers);
  }

  /** The newest first, of all pages. */
  async deliveries(filter = ''): Promise<readonly Delivery[]> {
    return everyPage<Delivery>(this.account, `${endpoints}/${this.id}/deliveries?limit=100${filter}`);
  }

  async untilDelivery(eventId: string, isSo: (delivery: Delivery) => boolean): Promise<Delivery> {
    const found = await until(
      `the delivery of ${eventId} meets the condition`,
      async () => (await this.deliveries()).filter((delivery) => delivery.eventId === eventId),
      (deliveries) => deliveries.some(isSo),
    );
    return found.find(isSo)!;
  }

  /** All deliveries, once none is pending. */
  async untilSettled(timeoutMs?: number): Promise<readonly Delivery[]> {
    await until(
      `nothing is pending at ${this.path}`,
      () => this.deliveries('&status=pending'),
      ({ length }) => length === 0,
      timeoutMs,
    );
    return this.deliveries();
  }
}

/** All items of a list, from the beginning or from a cursor. The path must have a query. */
export async function everyPage<Item>(account: Account, path: string, cursor?: string): Promise<readonly Item[]> {
  const onward = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const { data, nextCursor } = await account.list<Item>(`${path}${onward}`);
  return nextCursor === undefined ? data : [...data, ...(await everyPage<Item>(account, path, nextCursor))];
}
