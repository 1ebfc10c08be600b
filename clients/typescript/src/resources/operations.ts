import type { ApiClient } from '../api-client';
import type { ApiPromise } from '../api-promise';
import type { BulkRequest, BulkResults, Operation, OperationRequest, QueryOf } from '../api-types';
import type { List } from '../list';
import type { RequestOptions } from '../options';
import { waitUntil, type WaitOptions } from '../wait-until';

const path = '/api/v1/operations';

/** These statuses do not change without an operator. */
const settled: readonly Operation['status'][] = ['completed', 'failed', 'manual_review'];

export class Operations {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /**
   * Issues, tops up or unloads a card, or orders a service. The total is reserved when it returns; `waitFor` waits for the
   * outcome.
   */
  create(body: OperationRequest, options?: RequestOptions): ApiPromise<Operation> {
    return this.#api.request('post', path, { body }, options);
  }

  /**
   * Requests up to 500 operations, each with its own `idempotencyKey`. Returns the outcome of each, in the same order: it does not
   * throw if some of them, or all, are rejected.
   */
  createMany(body: BulkRequest, options?: RequestOptions): ApiPromise<BulkResults> {
    return this.#api.request('post', `${path}/bulk`, { body }, options);
  }

  /** Newest first. */
  list(query?: QueryOf<typeof path>, options?: RequestOptions): List<Operation> {
    return this.#api.list(path, { query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Operation> {
    return this.#api.request('get', `${path}/{id}`, { id }, options);
  }

  /**
   * Waits until the operation is `completed`, `failed` or in `manual_review`, and returns it. Throws a `WaitTimeoutError` after
   * `timeoutMs`; the operation continues, so that you can wait for it again.
   */
  waitFor(id: string, options: WaitOptions = {}): Promise<Operation> {
    const isSettled = ({ status }: Operation): boolean => settled.includes(status);
    const read = (signal?: AbortSignal): Promise<Operation> => this.get(id, { ...(signal && { signal }) });
    return waitUntil(read, isSettled, ({ status }) => `Operation ${id} is still ${status}`, options);
  }
}
