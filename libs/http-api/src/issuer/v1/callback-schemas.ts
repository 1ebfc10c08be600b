import { transactionStatuses, transactionTypes } from '@florin/operations-domain';
import { z } from 'zod';
import { amount, reference, text, timestampInput } from '../../schemas';
import { country, merchant } from '../../v1/transactions/transaction-schemas';

const transaction = z.strictObject({
  type: z.literal('transaction'),
  companyId: reference,
  cardId: reference.optional(),
  cardReference: text(128).optional(),
  transaction: z.strictObject({
    reference: text(128),
    type: z.enum(transactionTypes),
    status: z.enum(transactionStatuses),
    amount,
    currency: z.literal('USD', { error: "must be USD, the card's currency" }),
    merchant,
    country,
    description: z.union([z.literal(''), text(500)]).default(''),
    occurredAt: timestampInput,
  }),
});

const about = { type: z.literal('operation'), operationId: reference, companyId: reference, amount };

const accepted = z.strictObject({
  ...about,
  outcome: z.literal('accepted'),
  receipt: text(200).optional(),
  card: z
    .strictObject({
      last4: z.string().regex(/^\d{4}$/, { error: 'must be exactly four digits' }),
      reference: text(128).optional(),
    })
    .optional(),
});

const declined = z.strictObject({
  ...about,
  outcome: z.literal('declined'),
  code: z.string().regex(/^[a-z0-9_]{1,64}$/, { error: 'must be 1 to 64 characters a-z, 0-9 and underscores' }),
  message: text(500),
});

const operation = z.discriminatedUnion('outcome', [accepted, declined], { error: 'must be accepted or declined' });

/** Documented in docs/ISSUER.md. */
export const callback = z.discriminatedUnion('type', [transaction, operation], {
  error: 'must be transaction or operation',
});

export type TransactionCallback = z.output<typeof transaction>;
export type OperationCallback = z.output<typeof operation>;
