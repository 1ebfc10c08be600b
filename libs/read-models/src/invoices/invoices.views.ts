import type { InvoiceAnswer, InvoiceResolved, InvoiceStatus } from '@florin/invoicing-domain';

/** The invoice as clients see it. */
export type InvoiceView = InvoiceAnswer;

export interface InvoiceFilter {
  readonly status?: InvoiceStatus;
  /** Both instants belong to the range. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

/** Whose an invoice is, and where it is to be paid. */
export interface InvoiceOwner {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly environment: InvoiceAnswer['environment'];
  readonly accountId: string;
  readonly status: InvoiceStatus;
  /** Absent until the invoice is issued. */
  readonly address?: string;
}

/** Invoices that wait for a payment at one address. */
export interface AwaitedPayments {
  readonly address: string;
  readonly invoices: number;
}

/** Why an operator has to look at an invoice, and what was decided. */
export interface InvoiceReview {
  readonly reason: string;
  readonly since: string;
  readonly resolution: Pick<InvoiceResolved['data'], 'outcome' | 'note'> | null;
}
