import type { SubscriptionLog } from '@florin/event-sourcing';
import type { MoneyText } from '@florin/kernel';

export interface InvoicingOptions {
  /** The treasury addresses of live invoices. Without any, live invoices fail. */
  readonly addresses: readonly string[];
  /** How long an invoice can be paid after its creation. */
  readonly lifetimeMs: number;
  readonly minimumAmount: MoneyText;
  /** Receives the errors of background work. */
  readonly log: SubscriptionLog;
  readonly watchdog?: InvoiceClockOptions;
}

export interface InvoiceClockOptions {
  readonly everyMs?: number;
  /** The time without a change after which an invoice counts as stalled. */
  readonly stalledAfterMs?: number;
}

export const INVOICING_OPTIONS = Symbol('InvoicingOptions');
