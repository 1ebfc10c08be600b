import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { BodyOf, QueryOf, ResultOf, WebhookEvent } from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';

const path = '/api/v1/events';

export class Events {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** The webhook events of the last 90 days, newest first. */
  list(query?: QueryOf<typeof path>, options?: RequestOptions): List<WebhookEvent> {
    return this.#api.list(path, { query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<WebhookEvent> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }

  /** Sends the event again, to one endpoint or to all that subscribe to its type. */
  resend(
    id: string,
    body: BodyOf<'post', '/api/v1/events/{id}/resend'> = {},
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'post', '/api/v1/events/{id}/resend'>> {
    return this.#api.request('post', `${path}/{id}/resend`, { id, body }, options);
  }
}
