import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { Invoice, InvoiceRequest, QueryOf } from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';

const path = '/api/v1/card-account/invoices';

export class Invoices {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Funds the account: the payer sends exactly `payAmount` to `address`, or opens `paymentUrl`. */
  create(body: InvoiceRequest, options?: RequestOptions): ApiPromise<Invoice> {
    return this.#api.request('post', path, { body }, options);
  }

  /** Newest first. */
  list(query?: QueryOf<typeof path>, options?: RequestOptions): List<Invoice> {
    return this.#api.list(path, { query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Invoice> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }

  cancel(id: string, options?: RequestOptions): ApiPromise<Invoice> {
    return this.#api.request('post', `${path}/{id}/cancel`, { id }, options);
  }
}
