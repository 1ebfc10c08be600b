import type { Json } from '@florin/kernel';
import type { Page as PageRequest } from '@florin/read-models';
import { z } from 'zod';
import type { Cursors } from './cursors/cursors';
import type { Caller } from './caller';
import { cursor, limit, pageLimit } from './schemas';

/** The last entry of a page. The next page begins after it, even if entries were inserted meanwhile. */
export type Position = { readonly createdAt: string; readonly id: string };

export interface Page<View> {
  readonly data: readonly View[];
  readonly nextCursor?: string;
}

/** The query of a list that is always paginated. */
export const pageQuery = { limit: pageLimit, cursor: cursor.optional() };
/** The query of a list that is paginated only if a `limit` is sent. */
export const optionalPageQuery = { limit: limit.optional(), cursor: cursor.optional() };

export const pageOf = <View extends z.ZodType>(view: View) =>
  z.strictObject({
    data: z.array(view),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'Absent on the last page', examples: ['eyJjIjoi….c2ln'] }),
  });

interface ListInput<Filters> {
  readonly query: Filters & { readonly limit?: number; readonly cursor?: string };
  readonly caller?: Caller;
  readonly endpoint: string;
}

/** For lists in the order of creation. */
export function byCreation({ createdAt, id }: Position): Position {
  return { createdAt, id };
}

/** Reads one entry more than the page has, to find out whether there is another page. */
export async function readPage<Filters extends object, View>(
  cursors: Cursors,
  { query, caller, endpoint }: ListInput<Filters>,
  positionOf: (view: View) => Position,
  read: (filters: Omit<Filters, 'limit' | 'cursor'>, page: PageRequest) => Promise<readonly View[]>,
): Promise<Page<View>> {
  const { limit, cursor, ...filters } = query;
  const use = { caller, endpoint, filters: filters as { readonly [name: string]: Json | undefined } };
  const after = cursor === undefined ? undefined : cursors.read<Position>(use, cursor);
  const views = await read(filters, { limit: limit && limit + 1, after });
  if (limit === undefined || views.length <= limit) return { data: views };
  const data = views.slice(0, limit);
  return { data, nextCursor: cursors.write(use, positionOf(data[data.length - 1]!)) };
}
