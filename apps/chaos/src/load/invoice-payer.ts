import type { Random } from '../random';
import type { LiveChain } from '../environment/live-chain';
import type { Journal } from './journal';
import type { LoadAccount } from './load-account';
import { invoice, invoicePayment } from './requests';

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

/** Funds an account: requests an invoice, pays it, and waits for the credit before the next one. */
export class InvoicePayer {
  private open: OpenInvoice | undefined;

  constructor(private readonly options: InvoicePayerOptions) {}

  async step(): Promise<void> {
    if (this.open === undefined) return this.requestInvoice();
    const { account, journal } = this.options;
    const current = await journal.read(account, `/api/v1/card-account/invoices/${this.open.id}`);
    if (current?.['status'] === 'completed') this.open = undefined;
  }

  private async requestInvoice(): Promise<void> {
    const { account, journal, chain, random } = this.options;
    const { outcome, response } = await journal.perform(invoice(account, 1_000_000 + account.uniqueDollars()));
    if (outcome !== 'acknowledged') return;
    const created = response?.body as unknown as OpenInvoice;
    this.open = created;
    if (account.environment === 'sandbox') {
      const paid = await journal.perform(invoicePayment(account, created.id));
      if (paid.outcome === 'acknowledged') this.open = undefined;
    } else {
      chain.pay(created);
      // A duplicate payment is credited once only.
      if (random.chance(0.2)) chain.pay(created);
    }
  }
}
