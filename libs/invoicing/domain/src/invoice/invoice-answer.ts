import { assert } from '@florin/kernel';
import type { InvoiceAnswer, InvoiceStatus, InvoiceTerms, PaymentDetails } from './invoice.messages';
import { type Invoice, type InvoicesState, statusOf } from './invoice.state';

/** Until when to pay is told together with where and how much. */
export function invoiceAnswer(
  terms: Omit<InvoiceTerms, 'fingerprint'>,
  status: InvoiceStatus,
  payment: PaymentDetails | undefined,
): InvoiceAnswer {
  return {
    id: terms.invoiceId,
    environment: terms.environment,
    status,
    depositAmount: terms.depositAmount,
    fee: terms.fee,
    creditAmount: terms.creditAmount,
    address: payment?.address ?? null,
    payAmount: payment?.payAmount ?? null,
    asset: 'USDT',
    network: 'TRON',
    expiresAt: payment === undefined ? null : terms.expiresAt,
    createdAt: terms.createdAt,
  };
}

/** The invoice as it is now. */
export function currentAnswer(state: InvoicesState, invoiceId: string): InvoiceAnswer {
  const invoice = known(state, invoiceId);
  return invoiceAnswer(invoice.terms, statusOf(invoice), invoice.payment);
}

/** The invoice as whoever asked for it was told first: a repeat of the request gets the same, whatever has happened since. */
export function firstAnswer(state: InvoicesState, invoiceId: string): InvoiceAnswer {
  const invoice = known(state, invoiceId);
  const status = invoice.payment === undefined ? statusOf(invoice) : 'pending';
  return invoiceAnswer(invoice.terms, status, invoice.payment);
}

function known({ invoices }: InvoicesState, invoiceId: string): Invoice {
  const invoice = invoices.get(invoiceId);
  assert(invoice !== undefined, () => `there is no invoice ${invoiceId} to answer with`);
  return invoice;
}
