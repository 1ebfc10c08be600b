import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { BodyOf, Card, Invoice, RequestedEvent, ResultOf, Transaction } from '../api-types';
import type { RequestOptions } from '../options';

const transactions = '/api/v1/sandbox/transactions';

/** Simulates what others do: payers, merchants and the card issuer. */
export class Sandbox {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Credits the account. */
  fund(
    body: BodyOf<'post', '/api/v1/sandbox/funding'>,
    options?: RequestOptions,
  ): ApiPromise<ResultOf<'post', '/api/v1/sandbox/funding'>> {
    return this.#api.request('post', '/api/v1/sandbox/funding', { body }, options);
  }

  /** Pays an invoice. */
  completeInvoice(id: string, options?: RequestOptions): ApiPromise<Invoice> {
    return this.#api.request('post', '/api/v1/sandbox/invoices/{id}/complete', { id }, options);
  }

  /** Changes the status of a card as the issuer does. */
  setCardStatus(
    id: string,
    body: BodyOf<'post', '/api/v1/sandbox/cards/{id}/status'>,
    options?: RequestOptions,
  ): ApiPromise<Card> {
    return this.#api.request('post', '/api/v1/sandbox/cards/{id}/status', { id, body }, options);
  }

  /** Publishes a sample event to your webhook endpoints. */
  triggerEvent(body: BodyOf<'post', '/api/v1/sandbox/events'>, options?: RequestOptions): ApiPromise<RequestedEvent> {
    return this.#api.request('post', '/api/v1/sandbox/events', { body }, options);
  }

  /** Pays with a card. */
  createTransaction(body: BodyOf<'post', typeof transactions>, options?: RequestOptions): ApiPromise<Transaction> {
    return this.#api.request('post', transactions, { body }, options);
  }

  clearTransaction(
    id: string,
    body: BodyOf<'post', '/api/v1/sandbox/transactions/{id}/clear'> = {},
    options?: RequestOptions,
  ): ApiPromise<Transaction> {
    return this.#api.request('post', `${transactions}/{id}/clear`, { id, body }, options);
  }

  reverseTransaction(id: string, options?: RequestOptions): ApiPromise<Transaction> {
    return this.#api.request('post', `${transactions}/{id}/reverse`, { id }, options);
  }

  expireTransaction(id: string, options?: RequestOptions): ApiPromise<Transaction> {
    return this.#api.request('post', `${transactions}/{id}/expire`, { id }, options);
  }

  refundTransaction(
    id: string,
    body: BodyOf<'post', '/api/v1/sandbox/transactions/{id}/refund'> = {},
    options?: RequestOptions,
  ): ApiPromise<Transaction> {
    return this.#api.request('post', `${transactions}/{id}/refund`, { id, body }, options);
  }
}
