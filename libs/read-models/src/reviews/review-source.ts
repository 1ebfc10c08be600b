import { newestFirstSql } from '../keyset-page';
import type { ReviewView } from './reviews.views';

/** One kind of review: its source and its view. */
export interface ReviewSource {
  /** The projections whose rows it reads. */
  readonly readModels: readonly string[];
  /** By id, including resolved ones. */
  readonly find: { readonly name: string; readonly text: string };
  /** One page of the open reviews. */
  readonly list: { readonly name: string; readonly text: string };
  view(record: unknown): ReviewView;
}

interface SourceDefinition<Record> {
  readonly kind: ReviewView['kind'];
  readonly readModels: readonly { readonly name: string }[];
  /** The SELECT and FROM clauses. */
  readonly select: string;
  /** The time by which it is sorted. */
  readonly time: string;
  /** Whether a row is or was in review. */
  readonly isReview: string;
  /** Whether the review is open. */
  readonly isOpen: string;
  readonly view: (record: Record) => ReviewView;
}

export function reviewSource<Record>(definition: SourceDefinition<Record>): ReviewSource {
  const { kind, readModels, select, time, isReview, isOpen, view } = definition;
  return {
    readModels: readModels.map(({ name }) => name),
    find: { name: `find-${kind}-review`, text: `${select} WHERE id = $1 AND ${isReview}` },
    list: { name: `list-${kind}-reviews`, text: `${select} WHERE ${isOpen} ${newestFirstSql(time, 1)}` },
    view: (record) => view(record as Record),
  };
}
