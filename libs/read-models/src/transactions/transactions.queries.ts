import { PRISMA, type Prisma, type PrismaClient } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { formatMoney, isUuid } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { cardsProjection } from '../cards/cards.projection';
import { newestFirst, type Page } from '../keyset-page';
import type { TransactionFilter, TransactionView } from './transactions.views';

const columns = {
  ...{ id: true, cardId: true, reference: true, type: true, status: true, amount: true, currency: true },
  ...{ merchant: true, country: true, description: true, occurredAt: true },
} as const;

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class TransactionQueries {
  constructor(
    @Inject(PRISMA) private readonly prisma: PrismaClient,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find({ companyId, environment }: AccountOwner, id: string): Promise<TransactionView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const where = { id, companyId, environment };
    const transaction = await this.prisma.transaction.findUnique({ where, select: columns });
    return transaction === null ? undefined : transactionView(transaction);
  }

  /** Newest first, by `occurredAt`. */
  async list(owner: AccountOwner, filter: TransactionFilter, page: Page): Promise<readonly TransactionView[]> {
    const { companyId, environment } = owner;
    const { cardId, type, status, from, to } = filter;
    if (cardId !== undefined && !isUuid(cardId)) return [];
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const { where, ...sorted } = newestFirst('occurredAt', page, { from, to });
    const transactions = await this.prisma.transaction.findMany({
      where: { companyId, environment, cardId, type, status, ...where },
      ...sorted,
      select: columns,
    });
    return transactions.map(transactionView);
  }
}

function transactionView(record: Prisma.TransactionGetPayload<{ select: typeof columns }>): TransactionView {
  return {
    ...(record as typeof record & Pick<TransactionView, 'type' | 'status' | 'currency'>),
    amount: formatMoney(record.amount),
    occurredAt: record.occurredAt.toISOString(),
  };
}
