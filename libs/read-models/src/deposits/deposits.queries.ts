import type { Prisma, PrismaClient } from '@florin/database';
import { formatUsdt, isUuid } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import { invoicesProjection } from '../invoices/invoices.projection';
import { newestFirst, type Page } from '../keyset-page';
import { operators } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { withoutNulls } from '../without-nulls';
import { depositsProjection } from './deposits.projection';
import type { DepositFilter, DepositView } from './deposits.views';

/** For operators. */
@Injectable()
export class DepositQueries extends ReadModelQueries {
  async find(id: string): Promise<DepositView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(depositsProjection, invoicesProjection);
    const [deposit] = await this.read(operators, async ({ prisma }) =>
      depositViews(prisma, await prisma.deposit.findMany({ where: { id } })),
    );
    return deposit;
  }

  /** Newest first, by block time. */
  async list({ status }: DepositFilter, page: Page): Promise<readonly DepositView[]> {
    await this.waitUntilCaughtUp(depositsProjection, invoicesProjection);
    const { where, ...sorted } = newestFirst('blockTime', page);
    const query = { where: { status, ...where }, ...sorted };
    return this.read(operators, async ({ prisma }) => depositViews(prisma, await prisma.deposit.findMany(query)));
  }
}

export type DepositRecord = Prisma.DepositGetPayload<object>;

/** The owner of a deposit is the owner of its invoice, if there is one. */
export async function depositViews(
  prisma: PrismaClient,
  deposits: readonly DepositRecord[],
): Promise<readonly DepositView[]> {
  const invoiceIds = deposits.flatMap(({ invoiceId }) => invoiceId ?? []);
  const select = { id: true, companyId: true, environment: true };
  const invoices = await prisma.invoice.findMany({ where: { id: { in: invoiceIds } }, select });
  const owners = new Map(invoices.map(({ id, ...owner }) => [id, owner]));
  return deposits.map(
    (deposit) => ({ ...depositView(deposit), ...owners.get(deposit.invoiceId ?? '') }) as DepositView,
  );
}

function depositView({ judgedAt: _, revision: __, sender: from, ...deposit }: DepositRecord) {
  return withoutNulls({
    ...deposit,
    from,
    amount: formatUsdt(BigInt(deposit.amount.toFixed())),
    blockNumber: Number(deposit.blockNumber),
    blockTime: deposit.blockTime.toISOString(),
  });
}
