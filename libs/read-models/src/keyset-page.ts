/** The last item of a page. The next page continues after it, even if items were added meanwhile. */
export interface PageEnd {
  /** The time by which the list is sorted, such as `occurredAt` of a transaction. */
  readonly createdAt: string;
  readonly id: string;
}

export interface Page {
  /** All items if absent. */
  readonly limit?: number;
  readonly after?: PageEnd;
  /** Whether the page continues a response that has begun. */
  readonly continued?: boolean;
}

/** Both are inclusive. */
interface TimeRange {
  readonly from?: string;
  readonly to?: string;
}

type TimeFilter = { readonly gte?: string; readonly lte?: string };

/**
 * One page of a list, newest first, as arguments of Prisma's `findMany`. Items with the same time are sorted by id. The upper
 * bound of the time is a separate condition, because Postgres cannot start an index scan at the `OR`.
 */
export function newestFirst<Time extends 'createdAt' | 'occurredAt' | 'blockTime'>(
  time: Time,
  { after, limit }: Page,
  { from, to }: TimeRange = {},
) {
  const bounds = [to, after?.createdAt].filter((bound) => bound !== undefined).sort();
  const earlier = after && [{ [time]: { lt: after.createdAt } }, { [time]: after.createdAt, id: { lt: after.id } }];
  return {
    where: { [time]: { gte: from, lte: bounds[0] }, OR: earlier } as Record<Time, TimeFilter> & { OR?: object[] },
    orderBy: [{ [time]: 'desc' }, { id: 'desc' }] as [Record<Time, 'desc'>, { id: 'desc' }],
    take: limit,
  };
}

/** The same in ascending order. Lists of operators have ids with other names. */
export function oldestFirst<Time extends string, Id extends string>(time: Time, id: Id, { after, limit }: Page) {
  const later = after && [{ [time]: { gt: after.createdAt } }, { [time]: after.createdAt, [id]: { gt: after.id } }];
  return {
    where: { [time]: { gte: after?.createdAt }, OR: later } as Record<Time, TimeFilter> & { OR?: object[] },
    orderBy: [{ [time]: 'asc' }, { [id]: 'asc' }] as [Record<Time, 'asc'>, Record<Id, 'asc'>],
    take: limit,
  };
}

/** The same as `newestFirst` as the end of an SQL statement, with the parameters of `pageValues`. */
export function newestFirstSql(time: string, first: number): string {
  return `
    AND ${time} <= coalesce($${first}::timestamptz, 'infinity')
    AND (${time}, id) < (
      coalesce($${first}::timestamptz, 'infinity'),
      coalesce($${first + 1}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    )
  ORDER BY ${time} DESC, id DESC
  LIMIT $${first + 2}::bigint`;
}

export function pageValues({ after, limit }: Page): readonly unknown[] {
  return [after?.createdAt, after?.id, limit];
}
