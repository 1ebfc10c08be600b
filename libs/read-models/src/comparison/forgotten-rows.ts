import { IdSet } from '@florin/event-sourcing';

/** The rows that agreed with their table. Memory keeps only their ids. */
export interface ForgottenRows {
  readonly ids: IdSet;
  /** Of these, the rows that were folded again from their first event. */
  readonly refolded: Set<string>;
  /** Whether the row is complete now, and no other row depends on it. */
  isSettled(row: object): boolean;
}

export function forgotten<Row extends object>(isSettled: (row: Row) => boolean = () => true): ForgottenRows {
  return { ids: new IdSet(), refolded: new Set(), isSettled: (row) => isSettled(row as Row) };
}

export type RowOf<Rows> = Rows extends Map<string, infer Row> ? Row : never;
