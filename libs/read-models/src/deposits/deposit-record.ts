import { formatUsdt } from '@florin/kernel';
import type { DepositView } from './deposits.views';

/** A record with an invoice also has its owner. */
export const depositsWithOwners = `
  SELECT deposits.*, invoices.company_id, invoices.environment
  FROM read_models.deposits LEFT JOIN read_models.invoices ON invoices.id = deposits.invoice_id`;

export const depositColumns = `
  id, status, address, transaction_id AS "transactionId", log_index AS "logIndex", sender AS "from", amount,
  block_number AS "blockNumber", block_time AS "blockTime", late, reason, for_review AS "forReview",
  invoice_id AS "invoiceId", company_id AS "companyId", environment, resolution`;

type Optional = 'late' | 'reason' | 'invoiceId' | 'companyId' | 'environment' | 'resolution';

/** A row as `pg` returns it: large numbers are text, times are dates, absent values are null. */
export type DepositRecord = Omit<DepositView, Optional | 'blockNumber' | 'blockTime'> & {
  readonly blockNumber: string;
  readonly blockTime: Date;
} & { readonly [Name in Optional]: NonNullable<DepositView[Name]> | null };

export function depositView(record: DepositRecord): DepositView {
  const { late, reason, invoiceId, companyId, environment, resolution, ...rest } = record;
  return {
    ...rest,
    amount: formatUsdt(BigInt(record.amount)),
    blockNumber: Number(record.blockNumber),
    blockTime: record.blockTime.toISOString(),
    ...(late !== null && { late }),
    ...(reason !== null && { reason }),
    ...(invoiceId !== null && { invoiceId }),
    ...(companyId !== null && { companyId }),
    ...(environment !== null && { environment }),
    ...(resolution !== null && { resolution }),
  };
}
