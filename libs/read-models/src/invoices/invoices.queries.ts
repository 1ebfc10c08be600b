import type { Prisma } from '@florin/database';
import type { InvoiceStatus } from '@florin/invoicing-domain';
import { formatMoney, formatUsdt, isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { operators } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { invoicesProjection } from './invoices.projection';
import type { InvoiceFilter, InvoiceOwner, InvoiceView } from './invoices.views';

@Injectable()
export class InvoiceQueries extends ReadModelQueries {
  async find(owner: AccountOwner, id: string): Promise<InvoiceView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(invoicesProjection);
    const { companyId, environment } = owner;
    const where = { id, companyId, environment };
    const invoice = await this.read(owner, ({ prisma }) => prisma.invoice.findUnique({ where }));
    return invoice === null ? undefined : invoiceView(invoice);
  }

  /** Newest first. */
  async list(owner: AccountOwner, filter: InvoiceFilter, page: Page): Promise<readonly InvoiceView[]> {
    await this.waitUntilCaughtUp(invoicesProjection);
    const { companyId, environment } = owner;
    const { status, createdFrom, createdTo } = filter;
    const { where: position, ...sorted } = newestFirst('createdAt', page, { from: createdFrom, to: createdTo });
    const query = { where: { companyId, environment, status, ...position }, ...sorted };
    const invoices = await this.read(owner, ({ prisma }) => prisma.invoice.findMany(query));
    return invoices.map(invoiceView);
  }

  /** An invoice of any company, for operators. */
  async findAnywhere(id: string): Promise<InvoiceOwner | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(invoicesProjection);
    const invoice = await this.read(operators, ({ prisma }) => prisma.invoice.findUnique({ where: { id } }));
    if (invoice === null) return undefined;
    const { companyId, address } = invoice;
    const environment = invoice.environment as InvoiceOwner['environment'];
    return {
      invoiceId: id,
      companyId,
      environment,
      accountId: accountIdOf(companyId, environment),
      status: invoice.status as InvoiceStatus,
      depositAmount: formatMoney(invoice.depositAmount),
      ...(address !== null && { address }),
    };
  }
}

/** Without a pay address there is nothing to expire. */
export function invoiceView(invoice: Prisma.InvoiceGetPayload<object>): InvoiceView {
  const { id, address, payAmount, expiresAt, createdAt } = invoice;
  return {
    id,
    environment: invoice.environment as InvoiceView['environment'],
    status: invoice.status as InvoiceStatus,
    depositAmount: formatMoney(invoice.depositAmount),
    fee: formatMoney(invoice.fee),
    creditAmount: formatMoney(invoice.creditAmount),
    address,
    payAmount: payAmount === null ? null : formatUsdt(payAmount),
    asset: 'USDT',
    network: 'TRON',
    expiresAt: address === null ? null : expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}
