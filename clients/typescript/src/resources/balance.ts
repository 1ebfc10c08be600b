import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { Balance, QueryOf, ResultOf } from '../api-types';
import type { RequestOptions } from '../options';

export class BalanceResource {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  get(options?: RequestOptions): ApiPromise<Balance> {
    return this.#api.request('get', '/api/v1/balance', {}, options);
  }

  /** The balance at the end of each day. */
  getHistory(
    query: QueryOf<'/api/v1/balance/history'>,
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'get', '/api/v1/balance/history'>> {
    return this.#api.request('get', '/api/v1/balance/history', { query }, options);
  }

  /** How the balance came about: days, or with `all: 'true'` events. To read the next page, send `nextCursor` as `cursor`. */
  explain(
    query: QueryOf<'/api/v1/balance/explain'> = {},
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'get', '/api/v1/balance/explain'>> {
    return this.#api.request('get', '/api/v1/balance/explain', { query }, options);
  }
}
