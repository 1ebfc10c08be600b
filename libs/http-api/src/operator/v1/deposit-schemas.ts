import { depositStatuses } from '@florin/read-models';
import { z } from 'zod';
import { actor, environment, id, timestamp } from '../../schemas';
import { tronAddress, usdt } from '../../v1/invoices/invoice-schemas';

export const depositStatus = z.enum(depositStatuses).meta({
  description: '`resolved`: an operator has decided on an unmatched deposit',
});

export const depositReason = z
  .enum(['amount_unknown', 'paid_already', 'invoice_closed'])
  .meta({ description: 'Why the deposit was not matched with an invoice' });

/** The fields of a deposit in lists and reviews. */
export const depositFields = {
  id,
  status: depositStatus,
  address: tronAddress.meta({ description: 'The receiving address' }),
  transactionId: z.string().meta({ description: 'The id of the TRON transaction', examples: ['ab'.repeat(32)] }),
  logIndex: z.int().meta({ description: 'The index of the transfer within its transaction', examples: [0] }),
  from: tronAddress.meta({ description: 'The sender' }),
  amount: usdt,
  blockNumber: z.int().meta({ examples: [70_000_000] }),
  invoiceId: id
    .optional()
    .meta({ description: 'The invoice with this amount, or the invoice that an operator has assigned' }),
  companyId: id.optional().meta({ description: 'The company of the invoice' }),
  environment: environment.optional().meta({ description: 'The environment of the invoice' }),
  resolution: z
    .strictObject({
      outcome: z.enum(['completed', 'failed']),
      note: z.string(),
      invoiceId: id.optional().meta({ description: 'The invoice that the deposit pays' }),
      resolvedAt: timestamp,
      resolvedBy: actor.optional(),
    })
    .optional()
    .meta({ description: 'Absent until an operator decides' }),
};

export const deposit = z
  .strictObject({
    ...depositFields,
    blockTime: timestamp.meta({ description: 'The time of the block' }),
    late: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a matched deposit was too late to be credited automatically' }),
    reason: depositReason.optional(),
    forReview: z.boolean().meta({ description: 'Whether the deposit needs, or needed, the decision of an operator' }),
  })
  .meta({ id: 'Deposit' });
