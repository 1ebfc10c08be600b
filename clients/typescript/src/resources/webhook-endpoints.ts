import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type {
  BodyOf,
  QueryOf,
  RequestedEvent,
  ResultOf,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookEndpointRequest,
  WebhookEndpointWithSecret,
} from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';

const path = '/api/v1/webhook-endpoints';

export class WebhookEndpoints {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Only this response contains the `secret` for `webhooks.verify`. */
  create(body: WebhookEndpointRequest, options?: RequestOptions): ApiPromise<WebhookEndpointWithSecret> {
    return this.#api.request('post', path, { body }, options);
  }

  /** All endpoints at once. */
  list(options?: RequestOptions): ApiPromise<ResultOf<'get', typeof path>> {
    return this.#api.request('get', path, {}, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<WebhookEndpoint> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }

  update(id: string, body: WebhookEndpointChanges, options?: RequestOptions): ApiPromise<WebhookEndpoint> {
    return this.#api.request('patch', `${path}/{id}`, { id, body }, options);
  }

  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.#api.request('delete', `${path}/{id}`, { id }, options);
  }

  /** Both secrets are valid for 24 hours. */
  rotateSecret(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'post', '/api/v1/webhook-endpoints/{id}/rotate-secret'>> {
    return this.#api.request('post', `${path}/{id}/rotate-secret`, { id }, options);
  }

  /** Sends a `webhook_endpoint.test` event to this endpoint. */
  test(id: string, options?: RequestOptions): ApiPromise<RequestedEvent> {
    return this.#api.request('post', `${path}/{id}/test`, { id }, options);
  }

  /** Sends every event since a time that the endpoint has not acknowledged. */
  recover(
    id: string,
    body: BodyOf<'post', '/api/v1/webhook-endpoints/{id}/recover'>,
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'post', '/api/v1/webhook-endpoints/{id}/recover'>> {
    return this.#api.request('post', `${path}/{id}/recover`, { id, body }, options);
  }

  /** Newest first, with the response to every attempt. */
  listDeliveries(
    id: string,
    query?: QueryOf<'/api/v1/webhook-endpoints/{id}/deliveries'>,
    options?: RequestOptions,
  ): List<WebhookDelivery> {
    return this.#api.list(`${path}/{id}/deliveries`, { id, query }, options);
  }
}
