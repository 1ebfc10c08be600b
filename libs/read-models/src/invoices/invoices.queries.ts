import { PRISMA, type PrismaClient } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import type { InvoiceStatus } from '@florin/invoicing-domain';
import { isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { type InvoiceRecord, invoiceView } from './invoice-record';
import { invoicesProjection } from './invoices.projection';
import type { InvoiceFilter, InvoiceOwner, InvoiceView } from './invoices.views';

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class InvoiceQueries {
  constructor(
    @Inject(PRISMA) private readonly prisma: PrismaClient,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find({ companyId, environment }: AccountOwner, id: string): Promise<InvoiceView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(invoicesProjection.name);
    const invoice = await this.prisma.invoice.findUnique({ where: { id, companyId, environment } });
    return invoice === null ? undefined : invoiceView(invoice as InvoiceRecord);
  }

  /** Newest first. */
  async list(owner: AccountOwner, filter: InvoiceFilter, page: Page): Promise<readonly InvoiceView[]> {
    await this.readYourWrites.waitUntilCaughtUp(invoicesProjection.name);
    const { companyId, environment } = owner;
    const { status, createdFrom, createdTo } = filter;
    const { where, ...sorted } = newestFirst('createdAt', page, { from: createdFrom, to: createdTo });
    const invoices = await this.prisma.invoice.findMany({
      where: { companyId, environment, status, ...where },
      ...sorted,
    });
    return invoices.map((invoice) => invoiceView(invoice as InvoiceRecord));
  }

  /** An invoice of any company, for operators. */
  async findAnywhere(id: string): Promise<InvoiceOwner | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(invoicesProjection.name);
    const invoice = await this.prisma.invoice.findUnique({ where: { id } });
    if (invoice === null) return undefined;
    const { companyId, address } = invoice;
    const environment = invoice.environment as InvoiceOwner['environment'];
    return {
      invoiceId: id,
      companyId,
      environment,
      accountId: accountIdOf(companyId, environment),
      status: invoice.status as InvoiceStatus,
      ...(address !== null && { address }),
    };
  }
}
