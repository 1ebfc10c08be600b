import { decisionIn } from '@florin/kernel';
import type { Settlement } from '../address/address.messages';
import type {
  CancelInvoice,
  InvoiceCanceled,
  InvoiceEvent,
  InvoiceFailed,
  InvoiceResolved,
  PaymentDetails,
  PaymentLeftOver,
  RecordPayment,
} from './invoice.messages';
import type { Invoice } from './invoice.state';

export function issued(invoice: Invoice, { address, payAmount }: PaymentDetails): InvoiceEvent {
  return { type: 'InvoiceIssued', data: { ...factsOf(invoice), address, payAmount } };
}

export function completed(invoice: Invoice): InvoiceEvent {
  const data = { ...idsOf(invoice), ...settlementIn(invoice), ...canceledExpiry(invoice) };
  return { type: 'InvoiceCompleted', data };
}

export function expired(invoice: Invoice): InvoiceEvent {
  return { type: 'InvoiceExpired', data: { ...idsOf(invoice), ...canceledExpiry(invoice) } };
}

export function canceled(invoice: Invoice, { requestId, canceledAt }: CancelInvoice['data']): InvoiceCanceled {
  const place = invoice.payment === undefined ? {} : { address: invoice.payment.address };
  return { type: 'InvoiceCanceled', data: { ...idsOf(invoice), requestId, expiresAt: canceledAt, ...place } };
}

type Resolution = Omit<InvoiceResolved['data'], 'accountId' | 'invoiceId'>;

export function resolved(invoice: Invoice, resolution: Resolution): InvoiceResolved {
  const { outcome, note, requestId } = resolution;
  const request = requestId === undefined ? {} : { requestId };
  return { type: 'InvoiceResolved', data: { ...idsOf(invoice), outcome, note, ...request, ...decisionIn(resolution) } };
}

type Payment = Pick<RecordPayment['data'], 'depositId' | 'settlement'>;

export function paid(invoice: Invoice, payment: Payment): InvoiceEvent {
  return { type: 'InvoicePaid', data: { ...idsOf(invoice), ...paymentIn(payment) } };
}

export function sentToReview(invoice: Invoice, reason: string, payment?: Payment): InvoiceEvent {
  const data = { ...idsOf(invoice), reason, ...canceledExpiry(invoice) };
  return { type: 'InvoiceSentToReview', data: payment === undefined ? data : { ...data, ...paymentIn(payment) } };
}

function paymentIn({ depositId, settlement }: Payment): Payment {
  return { depositId, ...settlementIn({ settlement }) };
}

function settlementIn({ settlement }: Pick<Invoice, 'settlement'>): { settlement?: Settlement } {
  return settlement === undefined ? {} : { settlement };
}

type DepositThere = Pick<PaymentLeftOver['data'], 'address' | 'depositId' | 'requestId'>;

export function leftOver(invoice: Invoice, { address, depositId, requestId }: DepositThere): PaymentLeftOver {
  const request = requestId === undefined ? {} : { requestId };
  return { type: 'PaymentLeftOver', data: { ...idsOf(invoice), address, depositId, ...request } };
}

export function failed(invoice: Invoice, reason: string): InvoiceFailed {
  return { type: 'InvoiceFailed', data: { ...factsOf(invoice), expiresAt: invoice.expiresAt, reason } };
}

function canceledExpiry({ canceledBy, expiresAt }: Invoice): { expiresAt?: string } {
  return canceledBy === undefined ? {} : { expiresAt };
}

function idsOf({ terms: { accountId, invoiceId } }: Invoice): { accountId: string; invoiceId: string } {
  return { accountId, invoiceId };
}

function factsOf({ terms: { fingerprint: _, ...facts } }: Invoice): Omit<Invoice['terms'], 'fingerprint'> {
  return facts;
}
