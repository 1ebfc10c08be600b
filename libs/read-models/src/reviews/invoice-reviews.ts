import { invoiceColumns, type InvoiceRecord, invoiceView } from '../invoices/invoice-record';
import { invoicesProjection } from '../invoices/invoices.projection';
import type { InvoiceReview } from '../invoices/invoices.views';
import { reviewSource } from './review-source';

const columns = `${invoiceColumns}, company_id AS "companyId", deposit_id AS "depositId", review`;

type InvoiceReviewRecord = InvoiceRecord & {
  readonly companyId: string;
  readonly depositId: string | null;
  readonly review: InvoiceReview;
};

/** Invoices with a wrong or late payment, or whose credit could not be booked. */
export const invoiceReviews = reviewSource<InvoiceReviewRecord>({
  kind: 'invoice',
  readModels: [invoicesProjection],
  select: `SELECT ${columns} FROM read_models.invoices`,
  time: 'created_at',
  isReview: 'review IS NOT NULL',
  isOpen: "open AND status = 'manual_review'",
  view: ({ companyId, depositId, review: { reason, since, resolution }, ...record }) => ({
    ...invoiceView(record),
    kind: 'invoice',
    companyId,
    ...(depositId !== null && { depositId }),
    reason,
    since,
    ...(resolution && { resolution }),
  }),
});
