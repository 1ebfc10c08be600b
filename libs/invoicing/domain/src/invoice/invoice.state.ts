import { assert, assertNever } from '@florin/kernel';
import type { InvoiceEvent, InvoiceStatus, InvoiceTerms, PaymentDetails } from './invoice.messages';

/**
 * creating → pending → paid → completed
 *     │         ├──→ expired ──┐    ↑
 *     │         ├──────────────┴→ review → paid, once an operator has resolved it so
 *     └→ failed                         └→ failed
 *
 * The ledger may refuse the credit of what is paid: then it goes to review once more.
 */
export type InvoicePhase = 'creating' | 'pending' | 'paid' | 'completed' | 'expired' | 'failed' | 'review';

export interface Invoice {
  readonly terms: InvoiceTerms;
  phase: InvoicePhase;
  /** Present from `pending` on. */
  payment: PaymentDetails | undefined;
  /** The deposit that pays it, or that an operator has to decide about. */
  depositId: string | undefined;
  /** Deposits that came for it and credited nothing, as `leftOverKey` writes them. */
  leftOver: string[] | undefined;
  /** How often it was sent to review: a message from before the last time is an old one. */
  reviews: number;
  /** The requests of operators that were granted. */
  granted: string[] | undefined;
  /** What an operator decided. A credit that the ledger refuses after that opens the question again. */
  resolution: 'completed' | 'failed' | undefined;
}

/** All invoices of an account: repeats are recognised for ever, and whether another one may be opened is decided here. */
export interface InvoicesState {
  readonly invoices: Map<string, Invoice>;
  /** Those that keep the account from opening another one. */
  readonly unresolved: Set<string>;
}

export function initialInvoices(): InvoicesState {
  return { invoices: new Map(), unresolved: new Set() };
}

export function evolveInvoices(state: InvoicesState, event: InvoiceEvent): InvoicesState {
  const { invoiceId } = event.data;
  if (event.type === 'InvoiceOpened') state.invoices.set(invoiceId, opened(event.data));
  const invoice = state.invoices.get(invoiceId);
  assert(invoice !== undefined, () => `${event.type} of invoice ${invoiceId}, which was never opened`);
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

/** A deposit can come more than once: from the chain, and by every decision of an operator who takes it for a payment. */
export function leftOverKey({ depositId, requestId }: { depositId: string; requestId?: string }): string {
  return requestId === undefined ? depositId : `${depositId} ${requestId}`;
}

function isUnresolved({ phase }: Invoice): boolean {
  return phase === 'creating' || phase === 'pending' || phase === 'paid' || phase === 'review';
}

/** What clients see. Until the money is on the account, nothing looks as if it were. */
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
