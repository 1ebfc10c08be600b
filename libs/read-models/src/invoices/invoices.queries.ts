import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page, pageValues } from '../keyset-page';
import { invoiceColumns, type InvoiceRecord, invoiceView } from './invoice-record';
import { invoicesProjection } from './invoices.projection';
import type { AwaitedPayments, InvoiceFilter, InvoiceOwner, InvoiceView } from './invoices.views';

const findInvoice = {
  name: 'find-invoice',
  text: `SELECT ${invoiceColumns} FROM read_models.invoices WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

const listInvoices = {
  name: 'list-invoices',
  text: `
  SELECT ${invoiceColumns} FROM read_models.invoices
  WHERE company_id = $1 AND environment = $2
    AND ($3::text IS NULL OR status = $3)
    AND created_at >= coalesce($4::timestamptz, '-infinity')
    ${newestFirst('created_at', 6, '$5')}`,
};

const invoiceOwner = {
  name: 'invoice-owner',
  text: `
    SELECT id AS "invoiceId", company_id AS "companyId", environment, status, address
    FROM read_models.invoices WHERE id = $1`,
};

/** A payment that comes late is still told from others for a while, and so has to be seen. */
const awaitingElsewhere = {
  name: 'invoices-awaiting-elsewhere',
  text: `
    SELECT address, count(*)::integer AS invoices FROM (
      SELECT address FROM read_models.invoices
      WHERE open AND status = 'pending' AND environment = 'live'
      UNION ALL
      SELECT address FROM read_models.invoices
      WHERE expires_at > $2::timestamptz - interval '7 days' AND status = 'expired' AND environment = 'live'
    ) AS awaiting
    WHERE address <> ALL($1::text[])
    GROUP BY address ORDER BY address`,
};

type OwnerRecord = Omit<InvoiceOwner, 'accountId' | 'address'> & { readonly address: string | null };

/** Every answer about an invoice shows all that was acknowledged before it was asked for. */
@Injectable()
export class InvoiceQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(owner: AccountOwner, id: string): Promise<InvoiceView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(invoicesProjection.name);
    const values = [id, owner.companyId, owner.environment];
    const { rows } = await this.pool.query<InvoiceRecord>({ ...findInvoice, values });
    return rows.map(invoiceView)[0];
  }

  /** The newest first. */
  async list(owner: AccountOwner, filter: InvoiceFilter, page: Page): Promise<readonly InvoiceView[]> {
    await this.readYourWrites.waitUntilCaughtUp(invoicesProjection.name);
    const { status, createdFrom, createdTo } = filter;
    const values = [owner.companyId, owner.environment, status, createdFrom, createdTo, ...pageValues(page)];
    const { rows } = await this.pool.query<InvoiceRecord>({ ...listInvoices, values });
    return rows.map(invoiceView);
  }

  /** For operators, who may ask about every company. */
  async findAnywhere(id: string): Promise<InvoiceOwner | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(invoicesProjection.name);
    const { rows } = await this.pool.query<OwnerRecord>({ ...invoiceOwner, values: [id] });
    return rows.map(({ address, ...owner }) => ({
      ...owner,
      accountId: accountIdOf(owner.companyId, owner.environment),
      ...(address !== null && { address }),
    }))[0];
  }

  /**
   * Live invoices that can still be paid at addresses which are none of these: nobody would see the payment. It does not
   * wait for the newest events, because new invoices are given out at these addresses only.
   */
  async awaitingElsewhere(addresses: readonly string[], now = new Date()): Promise<readonly AwaitedPayments[]> {
    const { rows } = await this.pool.query<AwaitedPayments>({ ...awaitingElsewhere, values: [addresses, now] });
    return rows;
  }
}
