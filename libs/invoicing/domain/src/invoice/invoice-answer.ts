import { assert } from '@florin/kernel';
import type { Settlement } from '../address/address.messages';
import type { InvoiceAnswer, InvoiceStatus, InvoiceTerms, PaymentDetails } from './invoice.messages';
import { type Invoice, type InvoicesState, statusOf } from './invoice.state';

/** The expiry and the page are included only together with the address and the amount. The metadata is not. */
function invoiceAnswer(
  terms: InvoiceTerms,
  status: InvoiceStatus,
  payment: PaymentDetails | undefined,
  settlement?: Settlement,
): InvoiceAnswer {
  const { paymentUrl } = terms;
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
    ...(payment !== undefined && paymentUrl !== undefined && { paymentUrl }),
    ...(settlement !== undefined && { settlement }),
  };
}

/** The current invoice. */
export function currentAnswer(state: InvoicesState, invoiceId: string): InvoiceAnswer {
  const invoice = known(state, invoiceId);
  const settlement = invoice.phase === 'completed' ? invoice.settlement : undefined;
  const terms = { ...invoice.terms, expiresAt: invoice.expiresAt };
  return invoiceAnswer(terms, statusOf(invoice), invoice.payment, settlement);
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
