import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { QueryOf, ResultOf, Statement } from '../api-types';
import type { RequestOptions } from '../options';

const path = '/api/v1/account-statements';

export class Statements {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** The entries of the account between two UTC dates, both inclusive. */
  get(query: QueryOf<typeof path>, options?: RequestOptions): ApiPromise<Statement> {
    return this.#api.request('get', path, { query }, options);
  }

  /** The same entries as CSV. */
  getCsv(query: QueryOf<typeof path>, options?: RequestOptions): ApiPromise<string> {
    return this.#api.text(path, 'text/csv', query, options);
  }

  /** Confirms an earlier statement by its dates, revision and hash. */
  verify(
    query: QueryOf<'/api/v1/account-statements/verify'>,
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'get', '/api/v1/account-statements/verify'>> {
    return this.#api.request('get', '/api/v1/account-statements/verify', { query }, options);
  }
}
