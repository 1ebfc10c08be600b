import type { PaymentAnswer, TransactionStatus, TransactionType } from '@florin/operations-domain';
import type { Prisma } from '@florin/database';
import { formatMoney, isUuid } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { cardsProjection } from '../cards/cards.projection';
import { newestFirst, type Page } from '../keyset-page';
import { ReadModelQueries } from '../read-model-queries';
import { withoutNulls } from '../without-nulls';

/** The card payment as clients see it. */
export type TransactionView = Omit<PaymentAnswer, 'transactionId' | 'clearing' | 'refundOf'> & {
  readonly id: string;
  readonly cardId: string;
  readonly updatedAt: string;
};

export interface TransactionFilter {
  readonly cardId?: string;
  readonly type?: TransactionType;
  readonly status?: TransactionStatus;
  /** The range of `occurredAt`; both are inclusive. */
  readonly from?: string;
  readonly to?: string;
}

const columns = {
  ...{ id: true, cardId: true, reference: true, type: true, status: true, amount: true, currency: true },
  ...{ merchant: true, country: true, description: true, occurredAt: true },
  ...{ authorizedAmount: true, clearedAmount: true, originalAmount: true, originalCurrency: true },
  ...{ merchantCategory: true, declineReason: true, updatedAt: true },
} as const;

@Injectable()
export class TransactionQueries extends ReadModelQueries {
  async find(owner: AccountOwner, id: string): Promise<TransactionView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(cardsProjection);
    const { companyId, environment } = owner;
    const where = { id, companyId, environment };
    const query = { where, select: columns };
    const transaction = await this.read(owner, ({ prisma }) => prisma.transaction.findUnique(query));
    return transaction === null ? undefined : transactionView(transaction);
  }

  /** Newest first, by `occurredAt`. */
  async list(owner: AccountOwner, filter: TransactionFilter, page: Page): Promise<readonly TransactionView[]> {
    const { companyId, environment } = owner;
    const { cardId, type, status, from, to } = filter;
    if (cardId !== undefined && !isUuid(cardId)) return [];
    await this.waitUntilCaughtUp(cardsProjection);
    const { where: position, ...sorted } = newestFirst('occurredAt', page, { from, to });
    const where = { companyId, environment, cardId, type, status, ...position };
    const query = { where, ...sorted, select: columns };
    const transactions = await this.read(owner, ({ prisma }) => prisma.transaction.findMany(query));
    return transactions.map(transactionView);
  }
}

function transactionView(record: Prisma.TransactionGetPayload<{ select: typeof columns }>): TransactionView {
  const { originalAmount, ...known } = withoutNulls(record);
  return {
    ...(known as typeof known & Pick<TransactionView, 'type' | 'status' | 'declineReason'>),
    amount: formatMoney(record.amount),
    authorizedAmount: formatMoney(record.authorizedAmount),
    clearedAmount: formatMoney(record.clearedAmount),
    ...(originalAmount !== undefined && { originalAmount: formatMoney(originalAmount) }),
    occurredAt: record.occurredAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}
