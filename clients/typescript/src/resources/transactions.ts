import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { QueryOf, Transaction } from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';

const path = '/api/v1/transactions';

export class Transactions {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Newest first. */
  list(query?: QueryOf<typeof path>, options?: RequestOptions): List<Transaction> {
    return this.#api.list(path, { query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Transaction> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }
}
