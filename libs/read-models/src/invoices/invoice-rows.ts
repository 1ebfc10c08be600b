import type { InvoiceEvent, InvoiceStatus, InvoiceTerms } from '@florin/invoicing-domain';
import { assertNever, type Money, parseMoney, parseUsdt, type Usdt } from '@florin/kernel';
import { type FoldedRow, writerOfFoldedRows } from '../folded-rows';
import type { InvoiceReview } from './invoices.views';

/** With the column names of the table. */
export interface InvoiceRow extends FoldedRow {
  company_id?: string;
  environment?: InvoiceTerms['environment'];
  deposit_amount?: Money;
  fee?: Money;
  credit_amount?: Money;
  created_at?: string;
  expires_at?: string;
  address?: string;
  pay_amount?: Usdt;
  status?: InvoiceStatus;
  paid?: boolean;
  deposit_id?: string;
  review?: Partial<InvoiceReview>;
  updated_at?: string;
}

export type InvoiceRows = Map<string, InvoiceRow>;

/** All invoices of an account are in one stream, so the revision is the stream's. */
export function applyInvoiceEvent(rows: InvoiceRows, event: InvoiceEvent, revision: number, recordedAt: string): void {
  const id = event.data.invoiceId;
  const known = rows.get(id);
  if (known !== undefined && known.revision >= revision) return;
  const row = event.type === 'InvoiceOpened' ? openedRow(event.data) : (known ?? { id, isWhole: false, revision });
  rows.set(id, row);
  row.revision = revision;
  row.updated_at = recordedAt;
  change(row, event, recordedAt);
}

function openedRow(terms: InvoiceTerms): InvoiceRow {
  return {
    id: terms.invoiceId,
    isWhole: true,
    revision: 0,
    company_id: terms.companyId,
    environment: terms.environment,
    deposit_amount: parseMoney(terms.depositAmount),
    fee: parseMoney(terms.fee),
    credit_amount: parseMoney(terms.creditAmount),
    created_at: terms.createdAt,
    expires_at: terms.expiresAt,
    paid: false,
  };
}

function change(row: InvoiceRow, { type, data }: InvoiceEvent, recordedAt: string): void {
  switch (type) {
    case 'InvoiceOpened':
      row.status = 'creating';
      return;
    case 'InvoiceIssued':
      row.status = 'pending';
      row.address = data.address;
      row.pay_amount = parseUsdt(data.payAmount);
      return;
    case 'InvoicePaid':
      row.paid = true;
      row.deposit_id = data.depositId;
      return;
    case 'InvoiceSentToReview':
      row.status = 'manual_review';
      row.deposit_id = data.depositId ?? row.deposit_id;
      // A second review replaces an earlier decision that could not be executed.
      row.review = { reason: data.reason, since: recordedAt, resolution: null };
      return;
    case 'InvoiceResolved':
      row.review = { ...row.review, resolution: { outcome: data.outcome, note: data.note } };
      return;
    case 'InvoiceCompleted':
      row.status = 'completed';
      return;
    case 'InvoiceExpired':
      row.status = 'expired';
      return;
    case 'InvoiceFailed':
      row.status = 'failed';
      return;
    case 'PaymentLeftOver':
      return;
    default:
      assertNever(type);
  }
}

export const saveInvoices = writerOfFoldedRows<InvoiceRow>('read_models.invoices', {
  id: ['uuid', 'settled'],
  company_id: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  deposit_amount: ['bigint', 'settled'],
  fee: ['bigint', 'settled'],
  credit_amount: ['bigint', 'settled'],
  created_at: ['timestamptz', 'settled'],
  expires_at: ['timestamptz', 'settled'],
  address: ['text', 'replaced'],
  pay_amount: ['bigint', 'replaced'],
  status: ['text', 'replaced'],
  paid: ['boolean', 'replaced'],
  deposit_id: ['uuid', 'replaced'],
  review: ['jsonb', 'extended'],
  updated_at: ['timestamptz', 'replaced'],
  revision: ['integer', 'replaced'],
});
