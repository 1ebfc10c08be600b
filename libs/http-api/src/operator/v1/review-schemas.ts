import { z } from 'zod';
import { actor, environment, id, money, reference, text, timestamp } from '../../schemas';
import { invoiceFields } from '../../v1/invoices/invoice-schemas';
import { operationStatus, operationType } from '../../v1/operations/operation-schemas';
import { productId } from '../../v1/products/product-schemas';
import { proposal } from './approval-schemas';
import { depositFields, depositReason } from './deposit-schemas';

const last4 = z
  .string()
  .regex(/^\d{4}$/, { error: 'must be exactly four digits' })
  .meta({ description: 'The last four digits of the card number', examples: ['4242'] });
const outcome = z.enum(['completed', 'failed']);

/** An outcome that the issuer reported later by callback. */
const lateAnswer = z.strictObject({
  noteId: id,
  answer: z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('accepted'),
      receipt: z.string().optional(),
      last4: last4.optional(),
      cardReference: z.string().optional(),
    }),
    z.strictObject({ outcome: z.literal('declined'), code: z.string(), message: z.string() }),
    z.strictObject({ outcome: z.literal('unknown'), reason: z.string() }),
  ]),
  matches: z.boolean().meta({
    description: 'Whether company and amount match the operation. If not, verify the outcome with the issuer',
  }),
  notedAt: timestamp,
});

/** Absent for decisions of early releases. */
const resolvedBy = actor.optional();
const since = timestamp.meta({ description: 'When the review began' });
const decided = z
  .strictObject({ outcome, note: z.string(), resolvedBy })
  .optional()
  .meta({ description: 'Absent until an operator decides' });

const proposed = proposal.optional().meta({
  description:
    'The proposed decision, if two operators decide; without `confirmedBy` it waits for a different operator',
});

const operationReview = z
  .strictObject({
    id: id.meta({ description: 'The id of the operation' }),
    kind: z.literal('operation'),
    companyId: id,
    environment,
    type: operationType,
    status: operationStatus.meta({ examples: ['manual_review'] }),
    amount: money,
    fee: money,
    total: money.meta({ description: 'The amount that stays reserved until an operator decides' }),
    productId,
    holderId: id.optional(),
    cardId: id.optional(),
    recipient: z.string().optional(),
    reason: z.string().meta({ description: 'Why the outcome is unknown', examples: ['No response within 30 s'] }),
    since,
    lateAnswers: z.array(lateAnswer).meta({ description: 'The outcomes that the issuer reported later' }),
    createdAt: timestamp,
    resolution: decided,
    proposal: proposed,
  })
  .meta({ id: 'OperationReview' });

const invoiceReview = z
  .strictObject({
    ...invoiceFields,
    id: id.meta({ description: 'The id of the invoice' }),
    kind: z.literal('invoice'),
    companyId: id,
    depositId: id.optional().meta({ description: 'The deposit for the invoice' }),
    reason: z.string().meta({ examples: ['The payment arrived after the invoice had expired'] }),
    since,
    resolution: decided,
    proposal: proposed,
  })
  .meta({ id: 'InvoiceReview' });

const depositReview = z
  .strictObject({
    ...depositFields,
    id: id.meta({ description: 'The id of the deposit' }),
    kind: z.literal('deposit'),
    reason: depositReason,
    since,
    createdAt: timestamp.meta({ description: 'The time of the block' }),
    proposal: proposed,
  })
  .meta({ id: 'DepositReview' });

export const review = z
  .discriminatedUnion('kind', [operationReview, invoiceReview, depositReview])
  .meta({ discriminator: { propertyName: 'kind' } });

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
    invoiceId: reference.optional().meta({ description: 'The invoice that the deposit pays' }),
  })
  .meta({ id: 'Resolution' });
