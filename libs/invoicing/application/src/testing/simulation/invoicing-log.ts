import { categoryOf, eventCodec, metadataOf, type RecordedEvent } from '@florin/event-sourcing';
import { streamsIn } from '@florin/event-sourcing/testing';
import {
  type AddressEvent,
  addressEventVersions,
  evolveInvoices,
  initialInvoices,
  type Invoice,
  type InvoiceEvent,
  invoiceEventVersions,
  type InvoicesState,
} from '@florin/invoicing-domain';
import { type AccountEvent, accountEventVersions } from '@florin/ledger-domain';
import type { InvoiceOnAccount } from '../../due-invoices.port';

const invoiceCodec = eventCodec<InvoiceEvent>(invoiceEventVersions);
const addressCodec = eventCodec<AddressEvent>(addressEventVersions);
const accountCodec = eventCodec<AccountEvent>(accountEventVersions);

/** The stored events and the invoices that result from them. */
export class InvoicingLog {
  readonly invoices = new Map<string, Invoice>();
  readonly movedAt = new Map<string, string>();
  readonly invoiceEvents: InvoiceEvent[] = [];
  readonly addressEvents: AddressEvent[] = [];
  readonly accountEvents: (AccountEvent & { readonly accountId: string })[] = [];
  readonly streams: ReturnType<typeof streamsIn>;
  private readonly states = new Map<string, InvoicesState>();

  constructor(recorded: readonly RecordedEvent[]) {
    this.streams = streamsIn(recorded);
    for (const event of recorded) this.add(event);
  }

  /** The deposits that await the decision of an operator. */
  openReviews(): readonly { readonly address: string; readonly depositId: string }[] {
    const open = new Map<string, { address: string; depositId: string }>();
    for (const { type, data } of this.addressEvents) {
      const { address } = data;
      if (type === 'DepositResolved') open.delete(data.depositId);
      if (type !== 'DepositUnmatched' || !data.forReview) continue;
      open.set(data.deposit.depositId, { address, depositId: data.deposit.depositId });
    }
    return [...open.values()];
  }

  private add(event: RecordedEvent): void {
    const category = categoryOf(event.stream);
    if (category === 'address') this.addressEvents.push(addressCodec.decode(event).event);
    if (category === 'account') {
      const accountId = event.stream.slice('account-'.length);
      this.accountEvents.push({ ...accountCodec.decode(event).event, accountId });
    }
    if (category === 'invoices') this.addInvoiceEvent(event);
  }

  private addInvoiceEvent(recorded: RecordedEvent): void {
    const { event } = invoiceCodec.decode(recorded);
    const { invoiceId } = event.data;
    const state = evolveInvoices(this.states.get(recorded.stream) ?? initialInvoices(), event);
    this.states.set(recorded.stream, state);
    this.invoices.set(invoiceId, state.invoices.get(invoiceId)!);
    this.movedAt.set(invoiceId, metadataOf(recorded).recordedAt);
    this.invoiceEvents.push(event);
  }
}

/** What the read model would return to the invoice clock. */
export function expiredIn({ invoices }: InvoicingLog, now: Date): readonly string[] {
  const due = [...invoices.values()].filter(
    ({ phase, terms, expiresAt }) =>
      phase === 'pending' && terms.environment === 'sandbox' && expiresAt <= now.toISOString(),
  );
  return [...new Set(due.map(({ payment }) => payment!.address))];
}

export function stalledIn({ invoices, movedAt }: InvoicingLog, before: Date): readonly InvoiceOnAccount[] {
  return [...invoices.values()]
    .filter(({ phase, terms }) => {
      return (phase === 'creating' || phase === 'paid') && movedAt.get(terms.invoiceId)! <= before.toISOString();
    })
    .map(({ terms: { accountId, invoiceId } }) => ({ accountId, invoiceId }));
}
