/** A response with what its body does not contain. */
export interface ApiResponse<Data> {
  readonly data: Data;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** Whether Florin has processed the same request before, and this is its response. */
  readonly replayed: boolean;
}

/** The body of a response. `withResponse` returns its status, headers and request id as well. */
export class ApiPromise<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #response: Promise<ApiResponse<Data>>;

  constructor(response: Promise<ApiResponse<Data>>) {
    this.#response = response;
  }

  withResponse(): Promise<ApiResponse<Data>> {
    return this.#response;
  }

  then<Result = Data, Rejection = never>(
    onFulfilled?: ((data: Data) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Rejection | PromiseLike<Rejection>) | null,
  ): Promise<Result | Rejection> {
    return this.#response.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Rejection = never>(
    onRejected?: ((reason: unknown) => Rejection | PromiseLike<Rejection>) | null,
  ): Promise<Data | Rejection> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Data> {
    return this.then().finally(onFinally);
  }
}
