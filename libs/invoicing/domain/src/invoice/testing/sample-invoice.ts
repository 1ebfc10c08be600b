import { decidedByOne } from '@florin/kernel/testing';
import type { InvoiceEvent, InvoiceTerms } from '../invoice.messages';
import { evolveInvoices, initialInvoices, type InvoicePhase, type InvoicesState } from '../invoice.state';

export const accountId = 'acme-live';
export const address = 'TReasury1';
export const payAmount = '100.003127';

export const terms: InvoiceTerms = {
  invoiceId: 'i1',
  companyId: 'acme',
  environment: 'live',
  accountId,
  depositAmount: '100.00',
  fee: '1.50',
  creditAmount: '98.50',
  expiresAt: '2030-01-01T13:00:00.000Z',
  createdAt: '2030-01-01T12:00:00.000Z',
  fingerprint: 'f1',
};

const { fingerprint: _, ...facts } = terms;
const ids = { accountId, invoiceId: 'i1' };

export const settlement = {
  transactionId: 'ab'.repeat(32),
  blockNumber: 7,
  blockTime: '2030-01-01T12:30:00.000Z',
};
export const canceledAt = '2030-01-01T12:20:00.000Z';

export const opened: InvoiceEvent = { type: 'InvoiceOpened', data: terms };
export const issued: InvoiceEvent = { type: 'InvoiceIssued', data: { ...facts, address, payAmount } };
export const paid: InvoiceEvent = { type: 'InvoicePaid', data: { ...ids, depositId: 'd1', settlement } };
export const completed: InvoiceEvent = { type: 'InvoiceCompleted', data: { ...ids, settlement } };
export const canceled: InvoiceEvent = {
  type: 'InvoiceCanceled',
  data: { ...ids, requestId: 'c1', expiresAt: canceledAt, address },
};
export const expired: InvoiceEvent = { type: 'InvoiceExpired', data: ids };
export const failed = (reason: string): InvoiceEvent => ({ type: 'InvoiceFailed', data: { ...facts, reason } });
export const sentToReview = (reason: string, depositId?: string): InvoiceEvent => {
  const data = { ...ids, reason };
  return { type: 'InvoiceSentToReview', data: depositId === undefined ? data : { ...data, depositId, settlement } };
};
export const late = sentToReview('Paid after it had expired', 'd1');
export const leftOver = (depositId: string, at = address, requestId?: string): InvoiceEvent => {
  const request = requestId === undefined ? {} : { requestId };
  return { type: 'PaymentLeftOver', data: { ...ids, address: at, depositId, ...request } };
};
export const resolved = (outcome: 'completed' | 'failed', requestId = 'q1'): InvoiceEvent => {
  return { type: 'InvoiceResolved', data: { ...ids, outcome, note: 'Checked', requestId, ...decidedByOne } };
};

/** Events that lead to each phase. */
export const eventsLeadingTo: { readonly [Phase in InvoicePhase]: readonly InvoiceEvent[] } = {
  creating: [opened],
  pending: [opened, issued],
  paid: [opened, issued, paid],
  completed: [opened, issued, paid, completed],
  expired: [opened, issued, expired],
  failed: [opened, failed('Full')],
  review: [opened, issued, expired, late],
};

export function stateAfter(...events: readonly InvoiceEvent[]): InvoicesState {
  return events.reduce(evolveInvoices, initialInvoices());
}
