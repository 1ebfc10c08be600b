import type { InvoiceEvent, InvoiceStatus, InvoiceTerms } from '@florin/invoicing-domain';
import { type Actor, assertNever, parseMoney, parseUsdt } from '@florin/kernel';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';
import type { InvoiceReview } from './invoices.views';

const columns = {
  id: ['uuid', 'settled'],
  companyId: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  depositAmount: ['bigint', 'settled'],
  fee: ['bigint', 'settled'],
  creditAmount: ['bigint', 'settled'],
  createdAt: ['timestamptz', 'settled'],
  expiresAt: ['timestamptz', 'replaced'],
  paymentUrl: ['text', 'settled'],
  metadata: ['jsonb', 'settled'],
  address: ['text', 'replaced'],
  payAmount: ['bigint', 'replaced'],
  status: ['text', 'replaced'],
  paid: ['boolean', 'replaced'],
  depositId: ['uuid', 'replaced'],
  settlement: ['jsonb', 'replaced'],
  review: ['jsonb', 'extended'],
  updatedAt: ['timestamptz', 'replaced'],
} as const satisfies FoldedColumns;

type InvoiceRow = FoldedRowOf<typeof columns> & { status?: InvoiceStatus; review?: Partial<InvoiceReview> };
export type InvoiceRows = Map<string, InvoiceRow>;

/** All invoices of an account are in one stream, so the revision is the stream's. */
export function applyInvoiceEvent(
  rows: InvoiceRows,
  event: InvoiceEvent,
  revision: number,
  recordedAt: string,
  actor: Actor | undefined,
): void {
  // Nothing about the invoice has changed.
  if (event.type === 'InvoiceRecalled') return;
  const first = event.type === 'InvoiceOpened' ? openedRow(event.data) : undefined;
  const row = rowToChange(rows, event.data.invoiceId, revision, first);
  if (row === undefined) return;
  row.updatedAt = recordedAt;
  change(row, event, recordedAt, actor);
}

type Change = Exclude<InvoiceEvent, { type: 'InvoiceRecalled' }>;

function openedRow(terms: InvoiceTerms): InvoiceRow {
  return {
    ...terms,
    id: terms.invoiceId,
    isWhole: true,
    revision: 0,
    depositAmount: parseMoney(terms.depositAmount),
    fee: parseMoney(terms.fee),
    creditAmount: parseMoney(terms.creditAmount),
    paid: false,
  };
}

function change(row: InvoiceRow, { type, data }: Change, recordedAt: string, actor: Actor | undefined): void {
  switch (type) {
    case 'InvoiceOpened':
      row.status = 'creating';
      return;
    case 'InvoiceIssued':
      row.status = 'pending';
      row.address = data.address;
      row.payAmount = parseUsdt(data.payAmount);
      return;
    case 'InvoicePaid':
      row.paid = true;
      row.depositId = data.depositId;
      return;
    case 'InvoiceCanceled':
      row.expiresAt = data.expiresAt;
      return;
    case 'InvoiceSentToReview':
      row.status = 'manual_review';
      row.depositId = data.depositId ?? row.depositId;
      // A second review replaces an earlier decision that could not be executed.
      row.review = { reason: data.reason, since: recordedAt, resolution: null };
      return;
    case 'InvoiceResolved':
      row.review = { ...row.review, resolution: { outcome: data.outcome, note: data.note, resolvedBy: actor } };
      return;
    case 'InvoiceCompleted':
      row.status = 'completed';
      row.settlement = data.settlement;
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

export const saveInvoices = writerOfFoldedRows('read_models.invoices', columns);
