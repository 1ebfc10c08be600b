import type { Prisma } from '@florin/database';
import type { InvoiceStatus, Settlement } from '@florin/invoicing-domain';
import { formatMoney, formatUsdt, isUuid, type Metadata } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { idsWithMetadata } from '../metadata-filter';
import { operators, payers } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { invoicesProjection } from './invoices.projection';
import type { InvoiceFilter, InvoiceOwner, InvoiceView, PayableInvoice } from './invoices.views';

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
    const { status, metadata, createdFrom, createdTo } = filter;
    const { where: position, ...sorted } = newestFirst('createdAt', page, { from: createdFrom, to: createdTo });
    const invoices = await this.read(owner, async (connection) => {
      const known = { companyId, environment, metadata, createdFrom, createdTo, equal: { status } };
      const ids = metadata && (await idsWithMetadata(connection, 'invoices', { ...known, metadata }, page));
      const where = ids ? { id: { in: [...ids] } } : { companyId, environment, status, ...position };
      return connection.prisma.invoice.findMany({ where, ...sorted });
    });
    return invoices.map(invoiceView);
  }

  /**
   * The invoice with this page. Only if it is not found, waits for the read model: an invoice that was just created must have
   * its page, but polling must not cost a read of the log.
   */
  async findPayable(paymentToken: string): Promise<PayableInvoice | undefined> {
    const known = await this.readPayable(paymentToken);
    if (known !== undefined) return known;
    await this.waitUntilCaughtUp(invoicesProjection);
    return this.readPayable(paymentToken);
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

  private async readPayable(paymentToken: string): Promise<PayableInvoice | undefined> {
    const select = { status: true, address: true, payAmount: true, expiresAt: true } as const;
    const invoice = await this.read(payers, ({ prisma }) =>
      prisma.invoice.findFirst({ where: { paymentToken }, select }),
    );
    if (invoice === null || invoice.address === null || invoice.payAmount === null) return undefined;
    const { address, payAmount, expiresAt } = invoice;
    const status = invoice.status as InvoiceStatus;
    return { status, address, payAmount: formatUsdt(payAmount), expiresAt: expiresAt.toISOString() };
  }
}

/** Without a pay address there is nothing to expire, and no page. */
export function invoiceView(invoice: Prisma.InvoiceGetPayload<object>): InvoiceView {
  const { id, address, payAmount, expiresAt, createdAt, paymentUrl, metadata, settlement } = invoice;
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
    ...(address !== null && paymentUrl !== null && { paymentUrl }),
    ...(metadata !== null && { metadata: metadata as Metadata }),
    ...(settlement !== null && { settlement: settlement as unknown as Settlement }),
  };
}
