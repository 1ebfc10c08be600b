import { ApiPromise, type ApiResponse } from './api-promise';
import type { BodyOf, ItemOf, Method, Page, PathOf, ResultOf } from './api-types';
import { List } from './list';
import {
  type Configuration,
  configurationOf,
  type Environment,
  type FlorinOptions,
  type RequestOptions,
} from './options';
import { type Input, prepare } from './prepared-request';
import { send } from './send';

/** The largest page, so that a list takes the fewest requests. */
const pageSize = 100;

/** Sends typed requests. Its key is private, so that no log of the client shows it. */
export class ApiClient {
  readonly #configuration: Configuration;

  constructor(options: FlorinOptions) {
    this.#configuration = configurationOf(options);
  }

  get environment(): Environment {
    return this.#configuration.environment;
  }

  get baseUrl(): string {
    return this.#configuration.baseUrl;
  }

  request<M extends Method, Path extends PathOf<M>>(
    method: M,
    path: Path,
    input: Omit<Input, 'body'> & { readonly body?: BodyOf<M, Path> } = {},
    options?: RequestOptions,
  ): ApiPromise<ResultOf<M, Path>> {
    return new ApiPromise(this.#send<ResultOf<M, Path>>(method, path, input, options));
  }

  /** A response that is not JSON. */
  text(path: PathOf<'get'>, accept: string, query: object, options?: RequestOptions): ApiPromise<string> {
    return new ApiPromise(this.#send<string>('get', path, { query, accept }, options));
  }

  list<Path extends PathOf<'get'>>(
    path: Path,
    { query = {}, ...input }: Pick<Input, 'id' | 'query'> = {},
    options?: RequestOptions,
  ): List<ItemOf<Path>> {
    const { limit = pageSize, ...filters } = query as { readonly limit?: number };
    return new List((cursor) => {
      const page = { limit, ...filters, ...(cursor !== undefined && { cursor }) };
      return new ApiPromise(this.#send<Page<ItemOf<Path>>>('get', path, { ...input, query: page }, options));
    });
  }

  async #send<Data>(method: string, path: string, input: Input, options?: RequestOptions): Promise<ApiResponse<Data>> {
    const request = prepare(this.#configuration, method, path, input, options);
    return (await send(this.#configuration, request)) as ApiResponse<Data>;
  }
}
