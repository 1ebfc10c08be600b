import type { Prisma } from '@florin/database';
import { invoiceView } from '../invoices/invoices.queries';
import type { InvoiceReview } from '../invoices/invoices.views';
import { newestFirst } from '../keyset-page';
import type { InvoiceReviewView, ReviewSource } from './reviews.views';

/** Invoices with a wrong or late payment, or whose credit could not be booked. */
export const invoiceReviews: ReviewSource = {
  list: async (prisma, page) => {
    const { where, ...sorted } = newestFirst('createdAt', page);
    const isOpen = { open: true, status: 'manual_review' };
    const invoices = await prisma.invoice.findMany({ where: { ...isOpen, ...where }, ...sorted });
    return invoices.map(reviewOf);
  },
  find: async (prisma, id) => {
    const invoices = await prisma.invoice.findMany({ where: { id } });
    return invoices.filter(({ review }) => review !== null).map(reviewOf);
  },
};

function reviewOf(invoice: Prisma.InvoiceGetPayload<object>): InvoiceReviewView {
  const { companyId, depositId } = invoice;
  const { reason, since, resolution } = invoice.review as unknown as InvoiceReview;
  return {
    ...invoiceView(invoice),
    kind: 'invoice',
    companyId,
    ...(depositId !== null && { depositId }),
    reason,
    since,
    ...(resolution && { resolution }),
  };
}
