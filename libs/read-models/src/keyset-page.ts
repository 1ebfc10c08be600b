/** The last item of a page: the next page goes on right behind it, whatever has been added meanwhile. */
export interface PageEnd {
  /** The time by which the list is sorted; of a transaction it is `occurredAt`. */
  readonly createdAt: string;
  readonly id: string;
}

export interface Page {
  /** Everything when absent. */
  readonly limit?: number;
  readonly after?: PageEnd;
}

/**
 * The end of a query for the newest items first, with the parameters of `pageValues`. Items of the same instant are
 * sorted by their id, so that every item has one place of its own. Where there is an upper bound of the time as well, it
 * stands in the same condition: Postgres begins at a bound, and with two it might begin at the wrong one.
 */
export function newestFirst(time: string, first: number, bound = 'NULL'): string {
  return `
    AND ${time} <= least(${bound}::timestamptz, $${first}::timestamptz, 'infinity')
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
