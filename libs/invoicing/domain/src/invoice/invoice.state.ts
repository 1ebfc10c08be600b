import { assert, assertNever } from '@florin/kernel';
import type { InvoiceEvent, InvoiceStatus, InvoiceTerms, PaymentDetails } from './invoice.messages';

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
  readonly terms: InvoiceTerms;
  phase: InvoicePhase;
  /** Present from `pending` on. */
  payment: PaymentDetails | undefined;
  /** The deposit that pays it, or that is in review. */
  depositId: string | undefined;
  /** Deposits that were not credited, by `leftOverKey`. */
  leftOver: string[] | undefined;
  /** The number of reviews, to detect outdated messages. */
  reviews: number;
  /** The accepted requests of operators. */
  granted: string[] | undefined;
  /** The decision of an operator. Cleared when the ledger refuses the credit after that. */
  resolution: 'completed' | 'failed' | undefined;
}

/** All invoices of an account, to recognize repeats and to limit unresolved invoices. */
export interface InvoicesState {
  readonly invoices: Map<string, Invoice>;
  /** The unresolved invoices, which prevent opening another one. */
  readonly unresolved: Set<string>;
}

export function initialInvoices(): InvoicesState {
  return { invoices: new Map(), unresolved: new Set() };
}

export function evolveInvoices(state: InvoicesState, event: InvoiceEvent): InvoicesState {
  const { invoiceId } = event.data;
  if (event.type === 'InvoiceOpened') state.invoices.set(invoiceId, opened(event.data));
  const invoice = state.invoices.get(invoiceId);
  assert(invoice !== undefined, () => `${event.type} of invoice ${invoiceId} before InvoiceOpened`);
  evolveInvoice(invoice, event);
  if (isUnresolved(invoice)) state.unresolved.add(invoiceId);
  else state.unresolved.delete(invoiceId);
  return state;
}

function opened(terms: InvoiceTerms): Invoice {
  return {
    terms,
    phase: 'creating',
    payment: undefined,
    depositId: undefined,
    leftOver: undefined,
    reviews: 0,
    granted: undefined,
    resolution: undefined,
  };
}

function evolveInvoice(invoice: Invoice, event: InvoiceEvent): void {
  switch (event.type) {
    case 'InvoiceOpened':
      return;
    case 'InvoiceIssued':
      invoice.phase = 'pending';
      invoice.payment = { address: event.data.address, payAmount: event.data.payAmount };
      return;
    case 'InvoicePaid':
      invoice.phase = 'paid';
      invoice.depositId = event.data.depositId;
      return;
    case 'InvoiceCompleted':
      invoice.phase = 'completed';
      return;
    case 'InvoiceExpired':
      invoice.phase = 'expired';
      return;
    case 'InvoiceFailed':
      invoice.phase = 'failed';
      return;
    case 'InvoiceSentToReview':
      invoice.phase = 'review';
      invoice.depositId = event.data.depositId ?? invoice.depositId;
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
