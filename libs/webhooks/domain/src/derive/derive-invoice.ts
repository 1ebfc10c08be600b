import type { InvoiceAnswer, InvoiceEvent, InvoiceFailed, InvoiceIssued } from '@florin/invoicing-domain';
import { type Derived, known } from './derived';

/** As `GET /card-account/invoices/{id}` shows it. */
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
      return { type: 'invoice.completed', object: { ...known(previous, event), status: 'completed' } };
    case 'InvoiceExpired':
      return { type: 'invoice.expired', object: { ...known(previous, event), status: 'expired' } };
    case 'InvoiceSentToReview':
      return { type: 'invoice.manual_review', object: { ...known(previous, event), status: 'manual_review' } };
    case 'InvoiceFailed': {
      // Where no place to pay could be found, nobody has been told of the invoice before.
      const { address, payAmount } = previous ?? { address: null, payAmount: null };
      return { type: 'invoice.failed', object: invoice(event.data, 'failed', { address, payAmount }) };
    }
    default:
      return undefined;
  }
}

/** What cannot be paid has nothing that could expire. */
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
