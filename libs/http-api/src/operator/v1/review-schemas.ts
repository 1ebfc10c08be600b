import { z } from 'zod';
import { cardId, companyId, depositId, holderId, invoiceId, noteId, operationId, referenceTo } from '../../ids';
import { actor, environment, money, text, timestamp } from '../../schemas';
import { invoiceFields } from '../../v1/invoices/invoice-schemas';
import { operationStatus, operationType } from '../../v1/operations/operation-schemas';
import { productId } from '../../v1/products/product-schemas';
import { proposal } from './approval-schemas';
import { depositFields, depositReason, outcome } from './deposit-schemas';

const last4 = z
  .string()
  .regex(/^\d{4}$/, { error: 'must be exactly four digits' })
  .meta({ description: 'The last four digits of the card number', examples: ['4242'] });

/** An outcome that the issuer reported later by callback. */
const lateAnswer = z
  .strictObject({
    noteId,
    answer: z
      .discriminatedUnion('outcome', [
        z
          .strictObject({
            outcome: z.literal('accepted').meta({ description: 'The outcome' }),
            receipt: z.string().optional().meta({ description: 'The receipt of the issuer' }),
            last4: last4.optional(),
            cardReference: z.string().optional().meta({ description: 'The id that the issuer uses for the card' }),
          })
          .meta({ id: 'LateAcceptance', description: 'The issuer accepted the operation' }),
        z
          .strictObject({
            outcome: z.literal('declined').meta({ description: 'The outcome' }),
            code: z.string().meta({ description: 'The reason, for programs' }),
            message: z.string().meta({ description: 'The reason, for people' }),
          })
          .meta({ id: 'LateDecline', description: 'The issuer declined the operation' }),
        z
          .strictObject({
            outcome: z.literal('unknown').meta({ description: 'The outcome' }),
            reason: z.string().meta({ description: 'Why the outcome is unknown' }),
          })
          .meta({ id: 'LateUnknown', description: 'The issuer does not know the outcome' }),
      ])
      .meta({
        id: 'LateOutcome',
        description: 'What the issuer reported, by its outcome',
        discriminator: { propertyName: 'outcome' },
      }),
    matches: z.boolean().meta({
      description: 'Whether company and amount match the operation. If not, verify the outcome with the issuer',
    }),
    notedAt: timestamp,
  })
  .meta({ id: 'LateAnswer', description: 'An outcome that the issuer reported later' });

/** Absent for decisions of early releases. */
const resolvedBy = actor.optional();
const since = timestamp.meta({ description: 'When the review began' });
const decided = z
  .strictObject({
    outcome,
    note: z.string().meta({ description: 'The evidence for the decision' }),
    resolvedBy,
  })
  .meta({ id: 'ReviewDecision', description: 'Absent until an operator decides' })
  .optional();

const proposed = proposal.optional().meta({
  description:
    'The proposed decision, if two operators decide; without `confirmedBy` it waits for a different operator',
});

const operationReview = z
  .strictObject({
    id: operationId,
    kind: z.literal('operation').meta({ description: 'The kind of the review' }),
    companyId,
    environment,
    type: operationType,
    status: operationStatus.meta({ examples: ['manual_review'] }),
    amount: money,
    fee: money,
    total: money.meta({ description: 'The amount that stays reserved until an operator decides' }),
    productId,
    holderId: holderId.optional(),
    cardId: cardId.optional(),
    recipient: z
      .string()
      .optional()
      .meta({ description: 'The recipient of a service', examples: ['+31612345678'] }),
    reason: z.string().meta({ description: 'Why the outcome is unknown', examples: ['No response within 30 s'] }),
    since,
    lateAnswers: z.array(lateAnswer).meta({ description: 'The outcomes that the issuer reported later' }),
    createdAt: timestamp,
    resolution: decided,
    proposal: proposed,
  })
  .meta({ id: 'OperationReview', description: 'An operation that waits for a decision' });

const invoiceReview = z
  .strictObject({
    ...invoiceFields,
    kind: z.literal('invoice').meta({ description: 'The kind of the review' }),
    companyId,
    depositId: depositId.optional().meta({ description: 'The deposit for the invoice' }),
    reason: z.string().meta({
      description: 'Why an operator decides',
      examples: ['The payment arrived after the invoice had expired'],
    }),
    since,
    resolution: decided,
    proposal: proposed,
  })
  .meta({ id: 'InvoiceReview', description: 'An invoice that waits for a decision' });

const depositReview = z
  .strictObject({
    ...depositFields,
    kind: z.literal('deposit').meta({ description: 'The kind of the review' }),
    reason: depositReason,
    since,
    createdAt: timestamp.meta({ description: 'The time of the block' }),
    proposal: proposed,
  })
  .meta({ id: 'DepositReview', description: 'A deposit that waits for a decision' });

export const review = z.discriminatedUnion('kind', [operationReview, invoiceReview, depositReview]).meta({
  id: 'Review',
  description: 'What waits for a decision, by its kind',
  discriminator: { propertyName: 'kind' },
});

export const resolution = z
  .strictObject({
    outcome: outcome.meta({
      description:
        'For an operation, `completed` captures the reserved funds and `failed` releases them. For an invoice or a deposit, ' +
        '`completed` credits the invoice and `failed` credits nothing',
    }),
    note: text(1_000).meta({
      description: 'The evidence for the decision. The client sees it as the reason of a failed operation',
      examples: ['The issuer confirmed it by telephone'],
    }),
    last4: last4.optional(),
    cardReference: text(128)
      .optional()
      .meta({ description: 'The id that the issuer uses for the card', examples: ['crd_8842'] }),
    receipt: text(200)
      .optional()
      .meta({ description: 'A receipt that the client sees', examples: ['R-4711'] }),
    invoiceId: referenceTo(invoiceId).optional().meta({ description: 'The invoice that the deposit pays' }),
  })
  .meta({ id: 'Resolution', description: 'A decision on a review' });
