import { assert } from '@florin/kernel';
import type { InvoiceAnswer, InvoiceStatus, InvoiceTerms, PaymentDetails } from './invoice.messages';
import { type Invoice, type InvoicesState, statusOf } from './invoice.state';

/** The expiry is included only together with the address and the amount. */
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

/** The current invoice. */
export function currentAnswer(state: InvoicesState, invoiceId: string): InvoiceAnswer {
  const invoice = known(state, invoiceId);
  return invoiceAnswer(invoice.terms, statusOf(invoice), invoice.payment);
}

/** The invoice as first returned: a repeated request gets the same, regardless of later changes. */
export function firstAnswer(state: InvoicesState, invoiceId: string): InvoiceAnswer {
  const invoice = known(state, invoiceId);
  const status = invoice.payment === undefined ? statusOf(invoice) : 'pending';
  return invoiceAnswer(invoice.terms, status, invoice.payment);
}

function known({ invoices }: InvoicesState, invoiceId: string): Invoice {
  const invoice = invoices.get(invoiceId);
  assert(invoice !== undefined, () => `invoice ${invoiceId} exists`);
  return invoice;
}
