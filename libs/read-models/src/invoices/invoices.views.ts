import type { InvoiceAnswer, InvoiceResolved, InvoiceStatus } from '@florin/invoicing-domain';
import type { Metadata, MoneyText } from '@florin/kernel';
import type { ResolvedBy } from '../operations/operations.views';

/** The invoice as clients see it. */
export type InvoiceView = InvoiceAnswer;

/** What the payer of an invoice may see. */
export interface PayableInvoice {
  readonly status: InvoiceStatus;
  readonly address: string;
  readonly payAmount: string;
  readonly expiresAt: string;
}

export interface InvoiceFilter {
  readonly status?: InvoiceStatus;
  readonly metadata?: Metadata;
  /** Both are inclusive. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

/** The owner of an invoice, and its pay address. */
export interface InvoiceOwner {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly environment: InvoiceAnswer['environment'];
  readonly accountId: string;
  readonly status: InvoiceStatus;
  /** What a deposit that pays it is worth, before the fee. */
  readonly depositAmount: MoneyText;
  /** Absent until the invoice is issued. */
  readonly address?: string;
}

/** The number of invoices that wait for a payment at one address. */
export interface AwaitedPayments {
  readonly address: string;
  readonly invoices: number;
}

/** Why an invoice is in review, and the decision. */
export interface InvoiceReview {
  readonly reason: string;
  readonly since: string;
  readonly resolution: (Pick<InvoiceResolved['data'], 'outcome' | 'note'> & ResolvedBy) | null;
}
