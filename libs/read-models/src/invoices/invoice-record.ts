import { formatMoney, formatUsdt } from '@florin/kernel';
import type { InvoiceView } from './invoices.views';

export const invoiceColumns = `
  id, environment, status, deposit_amount AS "depositAmount", fee, credit_amount AS "creditAmount", address,
  pay_amount AS "payAmount", expires_at AS "expiresAt", created_at AS "createdAt"`;

/** A row as `pg` or Prisma returns it: `pg` returns a bigint as text. */
export interface InvoiceRecord extends Pick<InvoiceView, 'id' | 'environment' | 'status' | 'address'> {
  readonly depositAmount: bigint | string;
  readonly fee: bigint | string;
  readonly creditAmount: bigint | string;
  readonly payAmount: bigint | string | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** Without a pay address there is nothing to expire. */
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
