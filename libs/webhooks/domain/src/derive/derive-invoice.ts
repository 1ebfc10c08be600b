import type { InvoiceAnswer, InvoiceEvent, InvoiceFailed, InvoiceIssued } from '@florin/invoicing-domain';
import { type Derived, requirePrevious } from './derived';

/** The object as in `GET /card-account/invoices/{id}`. */
export type InvoiceObject = InvoiceAnswer;

export function deriveInvoice(
  previous: InvoiceObject | undefined,
  event: InvoiceEvent,
): Derived<InvoiceObject> | undefined {
  switch (event.type) {
    case 'InvoiceIssued': {
      const { address, payAmount } = event.data;
      return { type: 'invoice.pending', object: invoice(event.data, 'pending', { address, payAmount }) };
    }
    case 'InvoiceCompleted':
      return { type: 'invoice.completed', object: { ...requirePrevious(previous, event), status: 'completed' } };
    case 'InvoiceExpired':
      return { type: 'invoice.expired', object: { ...requirePrevious(previous, event), status: 'expired' } };
    case 'InvoiceSentToReview':
      return {
        type: 'invoice.manual_review',
        object: { ...requirePrevious(previous, event), status: 'manual_review' },
      };
    case 'InvoiceFailed': {
      // An invoice without a pay address was not published before.
      const { address, payAmount } = previous ?? { address: null, payAmount: null };
      return { type: 'invoice.failed', object: invoice(event.data, 'failed', { address, payAmount }) };
    }
    default:
      return undefined;
  }
}

/** An invoice that cannot be paid has no expiry. */
function invoice(
  terms: InvoiceIssued['data'] | InvoiceFailed['data'],
  status: InvoiceObject['status'],
  { address, payAmount }: Pick<InvoiceObject, 'address' | 'payAmount'>,
): InvoiceObject {
  const { invoiceId: id, environment, depositAmount, fee, creditAmount, createdAt } = terms;
  const expiresAt = address === null ? null : terms.expiresAt;
  return {
    ...{ id, environment, status, depositAmount, fee, creditAmount },
    ...{ address, payAmount, asset: 'USDT', network: 'TRON', expiresAt, createdAt },
  };
}
