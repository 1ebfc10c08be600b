import { formatMoney, formatUsdt } from '@florin/kernel';
import type { InvoiceView } from './invoices.views';

export const invoiceColumns = `
  id, environment, status, deposit_amount AS "depositAmount", fee, credit_amount AS "creditAmount", address,
  pay_amount AS "payAmount", expires_at AS "expiresAt", created_at AS "createdAt"`;

/** A row as it comes out of Postgres: a bigint is text, a time is a date. */
export type InvoiceRecord = Omit<InvoiceView, 'asset' | 'network' | 'expiresAt' | 'createdAt'> & {
  readonly expiresAt: Date;
  readonly createdAt: Date;
};

/** An invoice that cannot be paid yet has nothing that could expire. */
export function invoiceView(record: InvoiceRecord): InvoiceView {
  const { payAmount, expiresAt, createdAt } = record;
  return {
    id: record.id,
    environment: record.environment,
    status: record.status,
    depositAmount: formatMoney(BigInt(record.depositAmount)),
    fee: formatMoney(BigInt(record.fee)),
    creditAmount: formatMoney(BigInt(record.creditAmount)),
    address: record.address,
    payAmount: payAmount === null ? null : formatUsdt(BigInt(payAmount)),
    asset: 'USDT',
    network: 'TRON',
    expiresAt: record.address === null ? null : expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}
