import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { Card, CardChanges, CardReveal, QueryOf } from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';

const path = '/api/v1/cards';

export class Cards {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Newest first. */
  list(query?: QueryOf<typeof path>, options?: RequestOptions): List<Card> {
    return this.#api.list(path, { query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Card> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }

  /** Changes the name, the spending limits or the metadata. `null` removes a limit. */
  update(id: string, body: CardChanges, options?: RequestOptions): ApiPromise<Card> {
    return this.#api.request('patch', `${path}/{id}`, { id, body }, options);
  }

  freeze(id: string, options?: RequestOptions): ApiPromise<Card> {
    return this.#api.request('post', `${path}/{id}/freeze`, { id }, options);
  }

  unfreeze(id: string, options?: RequestOptions): ApiPromise<Card> {
    return this.#api.request('post', `${path}/{id}/unfreeze`, { id }, options);
  }

  /** Closes an empty card permanently. */
  close(id: string, options?: RequestOptions): ApiPromise<Card> {
    return this.#api.request('post', `${path}/{id}/close`, { id }, options);
  }

  /** The address of a page that shows the number, expiry and CVC once. Open it in the browser of the cardholder. */
  reveal(id: string, options?: RequestOptions): ApiPromise<CardReveal> {
    return this.#api.request('post', `${path}/{id}/reveal`, { id }, options);
  }
}
