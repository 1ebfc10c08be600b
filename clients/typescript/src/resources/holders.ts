import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { Holder, HolderChanges, HolderRequest, QueryOf } from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';

const path = '/api/v1/holders';

export class Holders {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  create(body: HolderRequest, options?: RequestOptions): ApiPromise<Holder> {
    return this.#api.request('post', path, { body }, options);
  }

  /** Newest first. */
  list(query?: QueryOf<typeof path>, options?: RequestOptions): List<Holder> {
    return this.#api.list(path, { query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Holder> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }

  update(id: string, body: HolderChanges, options?: RequestOptions): ApiPromise<Holder> {
    return this.#api.request('patch', `${path}/{id}`, { id, body }, options);
  }
}
