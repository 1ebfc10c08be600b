import { formatMoney, formatUsdt } from '@florin/kernel';

/** A cell of CSV and a member of JSON. */
export type Cell = string | number | boolean | null;

/** A row of a read model. Columns that no event has set are absent. */
export type Source = Readonly<Record<string, unknown>>;
export type Reader = (row: Source) => Cell;

export const text =
  (name: string): Reader =>
  (row) => {
    const value = row[name];
    if (value === undefined || value === null) return null;
    return typeof value === 'number' || typeof value === 'boolean' ? value : String(value as string | bigint);
  };

const money =
  (name: string): Reader =>
  (row) =>
    row[name] === undefined ? null : formatMoney(BigInt(row[name] as bigint));

const usdt =
  (name: string): Reader =>
  (row) =>
    row[name] === undefined ? null : formatUsdt(BigInt(row[name] as bigint));

const owned = { id: text('id'), companyId: text('companyId'), environment: text('environment') };
const times = { createdAt: text('createdAt'), updatedAt: text('updatedAt') };

/** How the columns of each table follow from a row of its read model, by their names. */
export type Readers = Readonly<Record<string, Reader>>;

export const operationColumns: Readers = {
  ...owned,
  type: text('type'),
  status: text('status'),
  productId: text('productId'),
  holderId: text('holderId'),
  cardId: text('cardId'),
  amount: money('amount'),
  fee: money('fee'),
  total: money('total'),
  receipt: ({ result }) => text('receipt')((result ?? {}) as Source),
  failure: ({ failure }) => text('code')((failure ?? {}) as Source),
  ...times,
};

export const cardColumns: Readers = {
  ...owned,
  holderId: text('holderId'),
  productId: text('productId'),
  last4: text('last4'),
  status: text('status'),
  balance: money('balance'),
  available: money('available'),
  ...times,
};

export const transactionColumns: Readers = {
  ...owned,
  cardId: text('cardId'),
  reference: text('reference'),
  type: text('type'),
  status: text('status'),
  amount: money('amount'),
  authorizedAmount: money('authorizedAmount'),
  clearedAmount: money('clearedAmount'),
  merchant: text('merchant'),
  country: text('country'),
  declineReason: text('declineReason'),
  occurredAt: text('occurredAt'),
  updatedAt: text('updatedAt'),
};

export const invoiceColumns: Readers = {
  ...owned,
  status: text('status'),
  depositAmount: money('depositAmount'),
  fee: money('fee'),
  creditAmount: money('creditAmount'),
  address: text('address'),
  payAmount: usdt('payAmount'),
  depositId: text('depositId'),
  ...times,
  expiresAt: text('expiresAt'),
};

export const depositColumns: Readers = {
  id: text('id'),
  address: text('address'),
  transactionId: text('transactionId'),
  logIndex: text('logIndex'),
  sender: text('sender'),
  amount: usdt('amount'),
  blockNumber: text('blockNumber'),
  blockTime: text('blockTime'),
  status: text('status'),
  reason: text('reason'),
  invoiceId: text('invoiceId'),
  judgedAt: text('judgedAt'),
};

export const adjustmentColumns: Readers = {
  ...owned,
  direction: text('direction'),
  amount: money('amount'),
  reason: text('reason'),
  proposedBy: text('proposedBy'),
  confirmedBy: text('confirmedBy'),
  createdAt: text('createdAt'),
  completedAt: text('completedAt'),
};
