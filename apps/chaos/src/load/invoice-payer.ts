import type { Random } from '../random';
import type { LiveChain } from '../world/live-chain';
import type { Journal } from './journal';
import type { LoadAccount } from './load-account';
import { invoice, invoicePayment } from './wishes';

export interface InvoicePayerOptions {
  readonly account: LoadAccount;
  readonly journal: Journal;
  readonly chain: LiveChain;
  readonly random: Random;
}

interface OpenInvoice {
  readonly id: string;
  readonly address: string;
  readonly payAmount: string;
  readonly creditAmount: string;
  readonly status: string;
}

/** Funds an account as its owner would: asks for an invoice, pays it, and waits for the credit before the next. */
export class InvoicePayer {
  private open: OpenInvoice | undefined;

  constructor(private readonly options: InvoicePayerOptions) {}

  async step(): Promise<void> {
    if (this.open === undefined) return this.ask();
    const { account, journal } = this.options;
    const shown = await journal.read(account, `/api/v1/card-account/invoices/${this.open.id}`);
    if (shown?.['status'] === 'completed') this.open = undefined;
  }

  private async ask(): Promise<void> {
    const { account, journal, chain, random } = this.options;
    const { outcome, answer } = await journal.perform(invoice(account, 1_000_000 + account.ownDollars()));
    if (outcome !== 'acknowledged') return;
    const made = answer?.body as unknown as OpenInvoice;
    this.open = made;
    if (account.environment === 'sandbox') {
      const paid = await journal.perform(invoicePayment(account, made.id));
      if (paid.outcome === 'acknowledged') this.open = undefined;
    } else {
      chain.pay(made);
      // Whoever pays twice is credited once.
      if (random.chance(0.2)) chain.pay(made);
    }
  }
}
