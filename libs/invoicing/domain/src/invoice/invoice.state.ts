import { assert, assertNever } from '@florin/kernel';
import type { Settlement } from '../address/address.messages';
import type { EndedInvoice, InvoiceEvent, InvoiceStatus, InvoiceTerms, PaymentDetails } from './invoice.messages';

/**
 * creating → pending → paid → completed
 *     │         ├──→ expired ──┐    ↑
 *     │         ├──────────────┴→ review → paid, after the decision of an operator
 *     └→ failed                         └→ failed
 *
 * If the ledger refuses the credit of a paid invoice, the invoice goes to review again.
 */
export type InvoicePhase = 'creating' | 'pending' | 'paid' | 'completed' | 'expired' | 'failed' | 'review';

export interface Invoice {
  /** With metadata only until the first event with the whole invoice: the state would become too large. */
  terms: InvoiceTerms;
  phase: InvoicePhase;
  /** Earlier than in the terms if the invoice was canceled. */
  expiresAt: string;
  /** The request that canceled it. */
  canceledBy: string | undefined;
  /** Present from `pending` on. */
  payment: PaymentDetails | undefined;
  /** The deposit that pays it, or that is in review. */
  depositId: string | undefined;
  /** The transfer of that deposit. Unknown if an early release recorded it. */
  settlement: Settlement | undefined;
  /** Deposits that were not credited, by `leftOverKey`. */
  leftOver: string[] | undefined;
  /** The number of reviews, to detect outdated messages. */
  reviews: number;
  /** The accepted requests of operators. */
  granted: string[] | undefined;
  /** The decision of an operator. Cleared when the ledger refuses the credit after that. */
  resolution: 'completed' | 'failed' | undefined;
  /** The number of its events, to detect an outdated copy. */
  events: number;
}

/** The invoices of an account, to recognize repeats and to limit unresolved invoices. */
export interface InvoicesState {
  /** The unresolved invoices and the newest of those that have ended, in the order of their last change. */
  readonly invoices: Map<string, Invoice>;
  /** The unresolved invoices, which prevent opening another one. */
  readonly unresolved: Set<string>;
  /** All other invoices, with the number of their events. The log has the rest: `RecallInvoice` restores it. */
  readonly forgotten: Map<string, number>;
}

/** A client can open and pay sandbox invoices without limit. */
export const maxEndedInvoices = 1_000;

export function initialInvoices(): InvoicesState {
  return { invoices: new Map(), unresolved: new Set(), forgotten: new Map() };
}

export const evolveInvoices = evolveRemembering(maxEndedInvoices);

/** With another limit, for tests. */
export function evolveRemembering(maxEnded: number) {
  return (state: InvoicesState, event: InvoiceEvent): InvoicesState => {
    const { invoiceId } = event.data;
    if (event.type === 'InvoiceRecalled') {
      state.invoices.set(invoiceId, recalledInvoice(event.data.invoice));
      state.forgotten.delete(invoiceId);
    } else {
      const invoice = evolveInvoice(state.invoices.get(invoiceId), event);
      // Moves it to the end: the invoice that has just changed is the last to be forgotten.
      state.invoices.delete(invoiceId);
      state.invoices.set(invoiceId, invoice);
      if (isUnresolved(invoice)) state.unresolved.add(invoiceId);
      else state.unresolved.delete(invoiceId);
    }
    forgetOldest(state, maxEnded);
    return state;
  };
}

function forgetOldest({ invoices, unresolved, forgotten }: InvoicesState, maxEnded: number): void {
  for (const [invoiceId, { events }] of invoices) {
    if (invoices.size - unresolved.size <= maxEnded) return;
    if (unresolved.has(invoiceId)) continue;
    invoices.delete(invoiceId);
    forgotten.set(invoiceId, events);
  }
}

/** Copies the lists, because events never change. */
export function recalledInvoice({ terms, leftOver, granted, ...rest }: EndedInvoice): Invoice {
  return { ...opened(terms), ...rest, leftOver: leftOver && [...leftOver], granted: granted && [...granted] };
}

/** What `RecallInvoice` restores. Undefined if the invoice has not ended. */
export function endedInvoice({ phase, ...rest }: Invoice): EndedInvoice | undefined {
  return phase === 'completed' || phase === 'expired' || phase === 'failed' ? { ...rest, phase } : undefined;
}

/** Folds the events of one invoice. */
export function evolveInvoice(before: Invoice | undefined, event: InvoiceEvent): Invoice {
  const invoice = event.type === 'InvoiceOpened' ? opened(event.data) : before;
  assert(invoice !== undefined, () => `${event.type} of invoice ${event.data.invoiceId} before InvoiceOpened`);
  change(invoice, event);
  if (event.type !== 'InvoiceRecalled') invoice.events += 1;
  return invoice;
}

function opened(terms: InvoiceTerms): Invoice {
  return {
    terms,
    phase: 'creating',
    expiresAt: terms.expiresAt,
    canceledBy: undefined,
    payment: undefined,
    depositId: undefined,
    settlement: undefined,
    leftOver: undefined,
    reviews: 0,
    granted: undefined,
    resolution: undefined,
    events: 0,
  };
}

function change(invoice: Invoice, event: InvoiceEvent): void {
  switch (event.type) {
    case 'InvoiceOpened':
    case 'InvoiceRecalled':
      return;
    case 'InvoiceIssued':
      invoice.phase = 'pending';
      forgetMetadata(invoice);
      invoice.payment = { address: event.data.address, payAmount: event.data.payAmount };
      return;
    case 'InvoicePaid':
      invoice.phase = 'paid';
      invoice.depositId = event.data.depositId;
      invoice.settlement = event.data.settlement;
      return;
    case 'InvoiceCanceled':
      invoice.expiresAt = event.data.expiresAt;
      invoice.canceledBy = event.data.requestId;
      return;
    case 'InvoiceCompleted':
      invoice.phase = 'completed';
      return;
    case 'InvoiceExpired':
      invoice.phase = 'expired';
      return;
    case 'InvoiceFailed':
      invoice.phase = 'failed';
      forgetMetadata(invoice);
      return;
    case 'InvoiceSentToReview':
      invoice.phase = 'review';
      if (event.data.depositId !== undefined) {
        invoice.depositId = event.data.depositId;
        invoice.settlement = event.data.settlement;
      }
      invoice.resolution = undefined;
      invoice.reviews += 1;
      return;
    case 'PaymentLeftOver':
      (invoice.leftOver ??= []).push(leftOverKey(event.data));
      return;
    case 'InvoiceResolved':
      invoice.resolution = event.data.outcome;
      if (event.data.requestId !== undefined) (invoice.granted ??= []).push(event.data.requestId);
      if (event.data.outcome === 'completed') invoice.phase = 'paid';
      return;
    default:
      assertNever(event);
  }
}

/** The event contains it for readers. Replies to clients take it from their request or from the read model. */
function forgetMetadata(invoice: Invoice): void {
  if (invoice.terms.metadata === undefined) return;
  const { metadata: _, ...terms } = invoice.terms;
  invoice.terms = terms;
}

/** A deposit can occur several times: from the chain, and by each decision of an operator. */
export function leftOverKey({ depositId, requestId }: { depositId: string; requestId?: string }): string {
  return requestId === undefined ? depositId : `${depositId} ${requestId}`;
}

function isUnresolved({ phase }: Invoice): boolean {
  return phase === 'creating' || phase === 'pending' || phase === 'paid' || phase === 'review';
}

/** The public status. `completed` only after the credit is booked. */
export function statusOf({ phase, resolution }: Invoice): InvoiceStatus {
  switch (phase) {
    case 'paid':
      return resolution === undefined ? 'pending' : 'manual_review';
    case 'review':
      return 'manual_review';
    default:
      return phase;
  }
}
