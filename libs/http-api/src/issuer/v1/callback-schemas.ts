import { reportedCardStatuses, transactionStatuses, transactionTypes } from '@florin/operations-domain';
import { z } from 'zod';
import { reference } from '../../ids';
import { amount, text, timestampInput } from '../../schemas';
import {
  country,
  hasWholeOriginal,
  merchant,
  merchantCategory,
  original,
  wholeOriginal,
} from '../../v1/transactions/transaction-schemas';

/** What a cardholder does with a card. */
const spendingTypes = ['purchase', 'withdrawal'] as const;

/** Whose card it is about. */
const aboutCard = { companyId: reference, cardId: reference.optional(), cardReference: text(128).optional() };

const payment = {
  reference: text(128),
  amount,
  currency: z.literal('USD', { error: "must be USD, the card's currency" }),
  merchant,
  merchantCategory: merchantCategory.optional(),
  country,
  ...original,
  description: z.union([z.literal(''), text(500)]).default(''),
  occurredAt: timestampInput,
};

const transaction = z.strictObject({
  type: z.literal('transaction'),
  ...aboutCard,
  transaction: z
    .strictObject({
      ...payment,
      type: z.enum(transactionTypes),
      status: z.enum(transactionStatuses),
      refundOf: text(128).optional(),
    })
    .refine(hasWholeOriginal, wholeOriginal)
    .refine(({ type, refundOf }) => type === 'refund' || refundOf === undefined, {
      path: ['refundOf'],
      error: 'must only be sent with a refund',
    }),
});

/** Has all details of the payment, because it may arrive before its authorization, or without one. */
const clearing = z.strictObject({
  type: z.literal('clearing'),
  ...aboutCard,
  clearing: z
    .strictObject({
      ...payment,
      amount: amount.refine((money) => money !== '0.00', { error: 'must be at least 0.01' }),
      transactionReference: text(128),
      type: z.enum(spendingTypes).default('purchase'),
      final: z.boolean().default(true),
    })
    .refine(hasWholeOriginal, wholeOriginal),
});

/** Documented in docs/ISSUER.md. */
export const authorizationRequest = z.strictObject({
  ...aboutCard,
  authorization: z
    .strictObject({ ...payment, type: z.enum([...spendingTypes, 'verification']).default('purchase') })
    .refine(hasWholeOriginal, wholeOriginal),
});

const cardStatus = z.strictObject({
  type: z.literal('card'),
  ...aboutCard,
  status: z.enum(reportedCardStatuses),
  occurredAt: timestampInput,
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
      status: z.enum(['pending', 'active']).optional(),
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
export const callback = z.discriminatedUnion('type', [transaction, clearing, cardStatus, operation], {
  error: 'must be transaction, clearing, card or operation',
});

export type TransactionCallback = z.output<typeof transaction>;
export type CardCallback = z.output<typeof cardStatus>;
export type ClearingCallback = z.output<typeof clearing>;
export type AuthorizationRequest = z.output<typeof authorizationRequest>;
export type OperationCallback = z.output<typeof operation>;
