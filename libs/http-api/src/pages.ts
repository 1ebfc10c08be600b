import { canonicalJson, type Json } from '@florin/kernel';
import { type Page as PageRequest, type PageEnd, ReadCanceled } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Caller } from './caller';
import { JsonStream } from './endpoint';
import { ApiError, validationFailed } from './errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from './http-api-options';
import { RateLimiter } from './rate-limit/rate-limiter';
import { tokensFor } from './rate-limit/request-costs';
import { cursor, limit, pageLimit } from './schemas';

export interface Page<View> {
  readonly data: readonly View[];
  readonly nextCursor?: string;
}

/** The query of a list that is always paginated. */
export const pageQuery = { limit: pageLimit, cursor: cursor.optional() };
/** The query of a list that is paginated only if a `limit` is sent. */
export const optionalPageQuery = { limit: limit.optional(), cursor: cursor.optional() };

export const nextCursor = z
  .string()
  .optional()
  .meta({
    description: 'Send it as `cursor` to read the next page. Absent on the last page',
    examples: ['eyJjIjoi….c2ln'],
  });

/** A page of a list, with its name in the OpenAPI document. */
export const pageOf = <View extends z.ZodType>(name: string, view: View) =>
  z
    .strictObject({ data: z.array(view).meta({ description: 'The entries of the page' }), nextCursor })
    .meta({ id: name, description: 'A page of a list' });

export interface ListReader<Filters, View, Body> {
  readonly endOf: (view: View) => PageEnd;
  readonly bodyOf: (view: View) => Body;
  readonly read: (filters: Omit<Filters, 'limit' | 'cursor'>, page: PageRequest) => Promise<readonly View[]>;
}

interface ListInput<Filters> {
  readonly query: Filters & { readonly limit?: number; readonly cursor?: string };
  readonly caller?: Caller;
  readonly endpoint: string;
}

/** Rows per read of a list without a limit. A larger part would delay the requests of other companies. */
export const partSize = 100;
/** Complete lists of one company that are sent at the same time. Each keeps a part in memory until its client reads it. */
export const maxCompleteLists = 100;

/** The complete lists of one account that are being sent. */
interface CompleteLists {
  count: number;
  /** Resolves when the last part that waits has been read. */
  turn: Promise<unknown>;
  readonly forget: () => void;
}

/** For lists in the order of creation. */
export function byCreation({ createdAt, id }: PageEnd): PageEnd {
  return { createdAt, id };
}

/** What a cursor is valid for. A request for the next page must match all of it. */
export interface CursorUse {
  /** Absent for operators, who see the objects of all companies. */
  readonly caller?: Pick<Caller, 'companyId' | 'environment'>;
  readonly endpoint: string;
  /** The query without `cursor` and `limit`: the page size may change between pages, the filters may not. */
  readonly filters: Json;
}

/** Reads pages. A cursor is signed together with its use, so a client can neither forge nor transfer it. */
@Injectable()
export class Cursors {
  /** The complete lists that are being sent, by account. */
  private readonly completeLists = new Map<string, CompleteLists>();

  constructor(
    @Inject(HTTP_API_OPTIONS) private readonly options: Pick<HttpApiOptions, 'cursorSecret' | 'log'>,
    private readonly limiter: RateLimiter,
  ) {}

  write(use: CursorUse, position: Json): string {
    const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${payload}.${this.sign(use, payload).toString('base64url')}`;
  }

  /** Returns the position, or throws a 400 if the cursor was altered or belongs to another use. */
  read<Position = Json>(use: CursorUse, cursor: string): Position {
    const [payload = '', signature = '', ...rest] = cursor.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = this.sign(use, payload);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw validationFailed(
        'cursor must be the nextCursor of an earlier page, with the same filters: start again without it.',
      );
    }
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Position;
  }

  /** Reads one entry more than the page has, to find out whether there is another page. */
  async readPage<Filters extends object, View>(
    { query, caller, endpoint }: ListInput<Filters>,
    endOf: (view: View) => PageEnd,
    read: (filters: Omit<Filters, 'limit' | 'cursor'>, page: PageRequest) => Promise<readonly View[]>,
  ): Promise<Page<View>> {
    const { limit, cursor, ...filters } = query;
    const use = { caller, endpoint, filters: filters as { readonly [name: string]: Json | undefined } };
    const after = cursor === undefined ? undefined : this.read<PageEnd>(use, cursor);
    const views = await read(filters, { limit: limit && limit + 1, after });
    if (caller !== undefined) this.limiter.charge(caller, tokensFor(Math.min(views.length, limit ?? Infinity)) - 1);
    if (limit === undefined || views.length <= limit) return { data: views };
    const data = views.slice(0, limit);
    return { data, nextCursor: this.write(use, { ...endOf(data.at(-1)!) }) };
  }

  /**
   * Reads a list that is paginated only if a `limit` is sent. A complete list is read in parts, and sent while the next part
   * is read if there are several.
   */
  async readList<Filters extends object, View, Body>(
    input: ListInput<Filters>,
    { endOf, bodyOf, read }: ListReader<Filters, View, Body>,
  ): Promise<Page<Body> | JsonStream> {
    const { limit, cursor, ...filters } = input.query;
    if (limit !== undefined) {
      const { data, nextCursor } = await this.readPage(input, endOf, read);
      return { data: data.map(bodyOf), nextCursor };
    }
    const use = { ...input, filters: filters as { readonly [name: string]: Json | undefined } };
    const after = cursor === undefined ? undefined : this.read<PageEnd>(use, cursor);
    const readPart = async (page: PageRequest, paidTokens: number): Promise<readonly View[]> => {
      const part = await read(filters, { ...page, limit: partSize });
      if (input.caller !== undefined) this.limiter.charge(input.caller, tokensFor(part.length) - paidTokens);
      return part;
    };
    const first = await readPart({ after }, 1);
    if (first.length < partSize) return { data: first.map(bodyOf) };
    const lists = this.completeListsOf(input.caller);
    const next = (last: View) =>
      this.inTurn(lists, input.caller, () => readPart({ after: endOf(last), continued: true }, 0)).catch(
        (error: unknown) => {
          this.logIncomplete(input, error);
          throw error;
        },
      );
    return new JsonStream(jsonParts(first, bodyOf, next), beginCompleteList(lists));
  }

  private completeListsOf(caller: Caller | undefined): CompleteLists {
    const sender = caller === undefined ? 'operators' : `${caller.companyId}/${caller.environment}`;
    const known = this.completeLists.get(sender);
    if (known !== undefined) return known;
    const lists = { count: 0, turn: Promise.resolve(), forget: () => this.completeLists.delete(sender) };
    this.completeLists.set(sender, lists);
    return lists;
  }

  /** Reads one part after another of all lists of an account, each after those before it are paid. */
  private async inTurn<Part>(
    lists: CompleteLists,
    caller: Caller | undefined,
    readPart: () => Promise<Part>,
  ): Promise<Part> {
    const part = lists.turn.then(async () => {
      if (caller !== undefined) await this.limiter.untilPaid(caller);
      return readPart();
    });
    lists.turn = part.catch(() => undefined);
    return part;
  }

  private logIncomplete({ endpoint, caller }: ListInput<object>, error: unknown): void {
    if (error instanceof ReadCanceled) return;
    const details = { err: error, endpoint, companyId: caller?.companyId };
    this.options.log.warn(details, 'A complete list could not be read to its end; its connection is closed');
  }

  private sign({ caller, endpoint, filters }: CursorUse, payload: string): Buffer {
    const bound = canonicalJson([caller?.companyId, caller?.environment, endpoint, filters, payload]);
    return createHmac('sha256', this.options.cursorSecret).update(bound).digest();
  }
}

/** Returns a function to call when the response has ended. */
function beginCompleteList(lists: CompleteLists): () => void {
  if (lists.count >= maxCompleteLists) throw tooManyCompleteLists();
  lists.count += 1;
  return () => {
    lists.count -= 1;
    if (lists.count === 0) lists.forget();
  };
}

function tooManyCompleteLists(): ApiError {
  const message = `${maxCompleteLists} complete lists are being sent already: read them, or send a \`limit\`, and retry.`;
  return new ApiError('unavailable', message, { 'retry-after': '1' });
}

async function* jsonParts<View, Body>(
  first: readonly View[],
  bodyOf: (view: View) => Body,
  next: (last: View) => Promise<readonly View[]>,
): AsyncGenerator<string> {
  let separator = '{"data":[';
  for (let part = first; part.length > 0; part = part.length < partSize ? [] : await next(part.at(-1)!)) {
    yield separator + part.map((view) => JSON.stringify(bodyOf(view))).join(',');
    separator = ',';
  }
  yield ']}';
}
