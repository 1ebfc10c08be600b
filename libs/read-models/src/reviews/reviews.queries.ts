import type { PrismaClient } from '@florin/database';
import { isUuid } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import { depositsProjection } from '../deposits/deposits.projection';
import { invoicesProjection } from '../invoices/invoices.projection';
import type { Page } from '../keyset-page';
import { operationsProjection } from '../operations/operations.projection';
import { operators } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { depositReviews } from './deposit-reviews';
import { invoiceReviews } from './invoice-reviews';
import { operationReviews } from './operation-reviews';
import type { ReviewSource, ReviewView } from './reviews.views';

const sources = [operationReviews, invoiceReviews, depositReviews];

/** For operators: reviews of every kind and company. */
@Injectable()
export class ReviewQueries extends ReadModelQueries {
  /** The open reviews, newest first. Reads a full page of each kind and merges them. */
  async list(page: Page): Promise<readonly ReviewView[]> {
    const views = await this.readAll((prisma, source) => source.list(prisma, page));
    return views.sort(byNewest).slice(0, page.limit);
  }

  /** Includes resolved reviews. */
  async find(id: string): Promise<ReviewView | undefined> {
    if (!isUuid(id)) return undefined;
    const [found] = await this.readAll((prisma, source) => source.find(prisma, id));
    return found;
  }

  private async readAll(
    read: (prisma: PrismaClient, source: ReviewSource) => Promise<readonly ReviewView[]>,
  ): Promise<ReviewView[]> {
    await this.waitUntilCaughtUp(operationsProjection, invoicesProjection, depositsProjection);
    const reads = sources.map((source) => this.read(operators, ({ prisma }) => read(prisma, source)));
    return (await Promise.all(reads)).flat();
  }
}

/** The same order as in SQL: times and ids have a fixed text format that sorts like their values. */
function byNewest(one: ReviewView, other: ReviewView): number {
  return placeOf(one) < placeOf(other) ? 1 : -1;
}

function placeOf({ createdAt, id }: ReviewView): string {
  return `${createdAt} ${id}`;
}
