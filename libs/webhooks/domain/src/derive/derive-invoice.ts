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
    case 'InvoiceCompleted': {
      const { settlement } = event.data;
      const object = changed(requirePrevious(previous, event), 'completed', event.data);
      return { type: 'invoice.completed', object: settlement === undefined ? object : { ...object, settlement } };
    }
    case 'InvoiceExpired':
      return { type: 'invoice.expired', object: changed(requirePrevious(previous, event), 'expired', event.data) };
    case 'InvoiceSentToReview': {
      const object = changed(requirePrevious(previous, event), 'manual_review', event.data);
      return { type: 'invoice.manual_review', object };
    }
    case 'InvoiceFailed': {
      // An invoice without a pay address was not published before.
      const { address, payAmount } = previous ?? { address: null, payAmount: null };
      // Only the first event with the whole invoice has its metadata.
      const terms = { ...event.data, metadata: event.data.metadata ?? previous?.metadata };
      return { type: 'invoice.failed', object: invoice(terms, 'failed', { address, payAmount }) };
    }
    default:
      return undefined;
  }
}

/** The expiry changes when the invoice is canceled, which is not published by itself. */
function changed(
  previous: InvoiceObject,
  status: InvoiceObject['status'],
  { expiresAt }: { readonly expiresAt?: string },
): InvoiceObject {
  return { ...previous, status, expiresAt: expiresAt ?? previous.expiresAt };
}

/** An invoice that cannot be paid has no expiry and no page. */
function invoice(
  terms: InvoiceIssued['data'] | InvoiceFailed['data'],
  status: InvoiceObject['status'],
  { address, payAmount }: Pick<InvoiceObject, 'address' | 'payAmount'>,
): InvoiceObject {
  const { invoiceId: id, environment, depositAmount, fee, creditAmount, createdAt } = terms;
  const { paymentUrl, metadata } = terms;
  const expiresAt = address === null ? null : terms.expiresAt;
  return {
    ...{ id, environment, status, depositAmount, fee, creditAmount },
    ...{ address, payAmount, asset: 'USDT', network: 'TRON', expiresAt, createdAt },
    ...(address !== null && paymentUrl !== undefined && { paymentUrl }),
    ...(metadata !== undefined && { metadata }),
  };
}
