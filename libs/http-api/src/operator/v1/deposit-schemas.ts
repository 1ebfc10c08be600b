import type { DepositStatus } from '@florin/read-models';
import { z } from 'zod';
import { companyId, depositId, invoiceId } from '../../ids';
import { actor, environment, explainedEnum, timestamp } from '../../schemas';
import { tronAddress, usdt } from '../../v1/invoices/invoice-schemas';

export const depositStatus = explainedEnum<DepositStatus>('DepositStatus', 'The status of a deposit', {
  matched: 'It pays an invoice',
  unmatched: 'It pays no invoice; an operator may have to decide',
  resolved: 'An operator has decided on an unmatched deposit',
});

export const depositReason = explainedEnum<'amount_unknown' | 'paid_already' | 'invoice_closed'>(
  'DepositReason',
  'Why the deposit was not matched with an invoice',
  {
    amount_unknown: 'No invoice has this amount',
    paid_already: 'The invoice with this amount was paid already',
    invoice_closed: 'The invoice with this amount has expired or failed',
  },
);

export const outcome = explainedEnum<'completed' | 'failed'>('ReviewOutcome', 'The decision of an operator', {
  completed: 'An operation captures its reserved funds; an invoice is credited',
  failed: 'An operation releases its reserved funds; nothing is credited',
});

/** The fields of a deposit in lists and reviews. */
export const depositFields = {
  id: depositId,
  status: depositStatus,
  address: tronAddress.meta({ description: 'The receiving address' }),
  transactionId: z.string().meta({ description: 'The id of the TRON transaction', examples: ['ab'.repeat(32)] }),
  logIndex: z.int().meta({ description: 'The index of the transfer within its transaction', examples: [0] }),
  from: tronAddress.meta({ description: 'The sender' }),
  amount: usdt,
  blockNumber: z.int().meta({ description: 'The number of the block', examples: [70_000_000] }),
  invoiceId: invoiceId
    .optional()
    .meta({ description: 'The invoice with this amount, or the invoice that an operator has assigned' }),
  companyId: companyId.optional().meta({ description: 'The company of the invoice' }),
  environment: environment.optional().meta({ description: 'The environment of the invoice' }),
  resolution: z
    .strictObject({
      outcome,
      note: z.string().meta({ description: 'The evidence for the decision', examples: ['The payer sent a receipt'] }),
      invoiceId: invoiceId.optional().meta({ description: 'The invoice that the deposit pays' }),
      resolvedAt: timestamp,
      resolvedBy: actor.optional(),
    })
    .meta({ id: 'DepositResolution', description: 'Absent until an operator decides' })
    .optional(),
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
  .meta({ id: 'Deposit', description: 'A transfer that arrived on the chain' });
