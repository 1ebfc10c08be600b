import { depositStatuses } from '@florin/read-models';
import { z } from 'zod';
import { environment, id, timestamp } from '../../schemas';
import { tronAddress, usdt } from '../../v1/invoices/invoice-schemas';

export const depositStatus = z.enum(depositStatuses).meta({
  description: '`resolved`: an operator has decided about an unmatched one',
});

export const depositReason = z
  .enum(['amount_unknown', 'paid_already', 'invoice_closed'])
  .meta({ description: 'Why it pays no invoice by itself' });

/** What is known about a deposit, wherever it is shown. */
export const depositFields = {
  id,
  status: depositStatus,
  address: tronAddress.meta({ description: 'Where it arrived' }),
  transactionId: z.string().meta({ description: 'The transaction on TRON', examples: ['ab'.repeat(32)] }),
  logIndex: z.int().meta({ description: 'The place of the transfer in its transaction', examples: [0] }),
  from: tronAddress.meta({ description: 'Who sent it' }),
  amount: usdt,
  blockNumber: z.int().meta({ examples: [70_000_000] }),
  invoiceId: id
    .optional()
    .meta({ description: 'The invoice whose amount it is, or which an operator found to be meant' }),
  companyId: id.optional().meta({ description: 'Whose invoice that is' }),
  environment: environment.optional().meta({ description: "The invoice's environment" }),
  resolution: z
    .strictObject({
      outcome: z.enum(['completed', 'failed']),
      note: z.string(),
      invoiceId: id.optional().meta({ description: 'The invoice that it pays after all' }),
      resolvedAt: timestamp,
    })
    .optional()
    .meta({ description: 'Absent until it is decided' }),
};

export const deposit = z
  .strictObject({
    ...depositFields,
    blockTime: timestamp.meta({ description: 'The time of its block' }),
    late: z.boolean().optional().meta({ description: 'Of a matched one: it came too late to be credited by itself' }),
    reason: depositReason.optional(),
    forReview: z.boolean().meta({ description: 'Whether an operator has to decide about it, or had to' }),
  })
  .meta({ id: 'Deposit' });
