import type { SubscriptionLog } from '@florin/event-sourcing';
import type { MoneyText } from '@florin/kernel';

export interface InvoicingOptions {
  /** The treasury addresses that live invoices are paid to; none: there are no live invoices. */
  readonly addresses: readonly string[];
  /** How long an invoice can be paid. */
  readonly lifetimeMs: number;
  readonly minimumAmount: MoneyText;
  /** Hears of what goes wrong where nobody waits for an answer. */
  readonly log: SubscriptionLog;
  readonly watchdog?: InvoiceClockOptions;
}

export interface InvoiceClockOptions {
  readonly everyMs?: number;
  /** How long an invoice may stand still before it is looked at. */
  readonly patienceMs?: number;
}

export const INVOICING_OPTIONS = Symbol('InvoicingOptions');
