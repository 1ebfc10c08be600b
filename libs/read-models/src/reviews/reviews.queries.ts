import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { isUuid } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type Page, pageValues } from '../keyset-page';
import { depositReviews } from './deposit-reviews';
import { invoiceReviews } from './invoice-reviews';
import { operationReviews } from './operation-reviews';
import type { ReviewSource } from './review-source';
import type { ReviewView } from './reviews.views';

const sources = [operationReviews, invoiceReviews, depositReviews] as const;
const readModels = new Set(sources.flatMap((source) => source.readModels));

/** For operators: reviews of every kind and company. Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class ReviewQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  /** The open reviews, newest first. Reads a full page of each kind and merges them. */
  async list(page: Page): Promise<readonly ReviewView[]> {
    const views = await this.readAll((source) => source.list, [...pageValues(page)]);
    return views.sort(byNewest).slice(0, page.limit);
  }

  /** Includes resolved reviews. */
  async find(id: string): Promise<ReviewView | undefined> {
    if (!isUuid(id)) return undefined;
    const [found] = await this.readAll((source) => source.find, [id]);
    return found;
  }

  private async readAll(queryOf: (source: ReviewSource) => ReviewSource['list'], values: unknown[]) {
    await Promise.all([...readModels].map((name) => this.readYourWrites.waitUntilCaughtUp(name)));
    const found = sources.map(async (source): Promise<ReviewView[]> => {
      const { rows } = await this.pool.query<object>({ ...queryOf(source), values });
      return rows.map((row) => source.view(row));
    });
    return (await Promise.all(found)).flat();
  }
}

/** The same order as in SQL: times and ids have a fixed text format that sorts like their values. */
function byNewest(one: ReviewView, other: ReviewView): number {
  return placeOf(one) < placeOf(other) ? 1 : -1;
}

function placeOf({ createdAt, id }: ReviewView): string {
  return `${createdAt} ${id}`;
}
