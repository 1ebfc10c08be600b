import type { InvoiceEvent } from '@florin/invoicing-domain';
import { deriveInvoice } from './derive-invoice';

const ids = { accountId: 'acme-live', invoiceId: 'i1' };
const environment = 'live' as const;
const amounts = { depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' };
const times = { expiresAt: '2030-01-01T01:00:00.000Z', createdAt: '2030-01-01T00:00:00.000Z' };
const shown = { environment, ...amounts, ...times };
const facts = { ...ids, companyId: 'acme', ...shown };
const place = { address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', payAmount: '100.003127' };
const pending = { id: 'i1', ...shown, ...place, asset: 'USDT', network: 'TRON', status: 'pending' } as const;
const failed: InvoiceEvent = { type: 'InvoiceFailed', data: { ...facts, reason: 'Every address is full' } };

describe('deriveInvoice', () => {
  it('creates the invoice once it can be paid', () => {
    expect(deriveInvoice(undefined, { type: 'InvoiceOpened', data: { ...facts, fingerprint: 'f' } })).toBeUndefined();
    expect(deriveInvoice(undefined, { type: 'InvoiceIssued', data: { ...facts, ...place } })).toStrictEqual({
      type: 'invoice.pending',
      object: pending,
    });
  });

  it('derives an update for each status', () => {
    const cases: [InvoiceEvent, string][] = [
      [{ type: 'InvoiceCompleted', data: ids }, 'completed'],
      [{ type: 'InvoiceExpired', data: ids }, 'expired'],
      [{ type: 'InvoiceSentToReview', data: { ...ids, reason: 'Late' } }, 'manual_review'],
      [failed, 'failed'],
    ];
    for (const [event, status] of cases) {
      const told = { type: `invoice.${status}`, object: { ...pending, status } };
      expect(deriveInvoice(pending, event)).toStrictEqual(told);
    }
  });

  it('creates a failed invoice without an expiry when it could never be paid', () => {
    const nowhere = { address: null, payAmount: null, expiresAt: null };
    expect(deriveInvoice(undefined, failed)).toStrictEqual({
      type: 'invoice.failed',
      object: { ...pending, ...nowhere, status: 'failed' },
    });
  });

  it('derives nothing from internal events', () => {
    expect(deriveInvoice(pending, { type: 'InvoicePaid', data: { ...ids, depositId: 'd1' } })).toBeUndefined();
    const leftOver: InvoiceEvent = { type: 'PaymentLeftOver', data: { ...ids, address: 'T', depositId: 'd1' } };
    expect(deriveInvoice(pending, leftOver)).toBeUndefined();
    const resolved: InvoiceEvent = { type: 'InvoiceResolved', data: { ...ids, outcome: 'failed', note: 'No' } };
    expect(deriveInvoice(pending, resolved)).toBeUndefined();
  });
});
