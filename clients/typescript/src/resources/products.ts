import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { ResultOf } from '../api-types';
import type { RequestOptions } from '../options';

export class Products {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** The available products with their fees, all at once. */
  list(options?: RequestOptions): ApiPromise<ResultOf<'get', '/api/v1/products'>> {
    return this.#api.request('get', '/api/v1/products', {}, options);
  }
}
