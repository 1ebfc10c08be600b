/** An invoice and its account, whose stream stores it. */
export interface InvoiceOnAccount {
  readonly accountId: string;
  readonly invoiceId: string;
}

/** Finds invoices that are due for expiry or for another step. */
export interface DueInvoices {
  /**
   * The distinct addresses of sandbox invoices that are pending, unpaid and expired at `now`. Live invoices expire by block
   * times only.
   */
  expiredBefore(now: Date, limit: number): Promise<readonly string[]>;

  /**
   * Stalled invoices that have not changed since `before`, the longest-waiting first: creating, paid and not yet credited, or
   * resolved as completed and not yet credited.
   */
  unchangedSince(before: Date, limit: number): Promise<readonly InvoiceOnAccount[]>;
}

export const DUE_INVOICES = Symbol('DueInvoices');
