/** An invoice, and the account whose stream it is in. */
export interface InvoiceOnAccount {
  readonly accountId: string;
  readonly invoiceId: string;
}

/** Where the clock looks for invoices that time has something to do with. */
export interface DueInvoices {
  /**
   * The addresses, each of them once, of sandbox invoices that are pending and not paid though they expired at `now` or
   * before. Live ones expire by the clock of the chain alone.
   */
  expiredBefore(now: Date, limit: number): Promise<readonly string[]>;

  /**
   * Invoices that it is up to us to move on and that have not changed since `before`, the longest-waiting first: creating,
   * paid and not yet credited, or resolved as completed by an operator and not yet credited.
   */
  notMovedSince(before: Date, limit: number): Promise<readonly InvoiceOnAccount[]>;
}

export const DUE_INVOICES = Symbol('DueInvoices');
