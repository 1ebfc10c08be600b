import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { Quote, QuoteRequest } from '../api-types';
import type { RequestOptions } from '../options';

export class Quotes {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** The price of an operation. Send its `total` as the `expectedTotal` of the operation. */
  create(body: QuoteRequest, options?: RequestOptions): ApiPromise<Quote> {
    return this.#api.request('post', '/api/v1/quotes', { body }, options);
  }
}
