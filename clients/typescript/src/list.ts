import type { Page } from './api-types';

/**
 * A list that is read in pages. `await` returns the first page, `for await` all entries, and `pages()` one page after another.
 * Requests are sent as entries are needed.
 */
export class List<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #read: (cursor?: string) => PromiseLike<Page<Item>>;

  constructor(read: (cursor?: string) => PromiseLike<Page<Item>>) {
    this.#read = read;
  }

  then<Result = Page<Item>, Rejection = never>(
    onFulfilled?: ((page: Page<Item>) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Rejection | PromiseLike<Rejection>) | null,
  ): PromiseLike<Result | Rejection> {
    return this.#read().then(onFulfilled, onRejected);
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page: Page<Item> = await this.#read(cursor);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
