import {
  type OperationObject,
  type OperationStatus,
  type OperationType,
  operationTypes,
} from '@florin/operations-domain';
import { z } from 'zod';
import { cardId, exampleIds, holderId, operationId, referenceTo } from '../../ids';
import {
  amountOf,
  currency,
  environment,
  explainedEnum,
  metadata,
  metadataSchema,
  money,
  text,
  timestamp,
} from '../../schemas';
import { productId } from '../products/product-schemas';

export const operationType = explainedEnum<OperationType>('OperationType', 'What an operation does', {
  issue: 'Issues a card with an amount on it',
  topup: 'Moves an amount from the account to a card',
  service: 'Orders a service for a recipient',
  unload: 'Moves an amount from a card to the account',
});
export const operationStatus = explainedEnum<OperationStatus>('OperationStatus', 'The status of an operation', {
  queued: 'Accepted: the total is reserved',
  processing: 'The issuer is being called',
  completed: 'Succeeded: the reserved funds were captured. Final',
  failed: 'Failed: the reserved funds were released; see `failure`. Final',
  manual_review: 'The outcome is unknown: the funds stay reserved until an operator decides',
});

export const exampleOperation: OperationObject = {
  id: exampleIds.operation,
  environment: 'sandbox',
  type: 'issue',
  status: 'completed',
  amount: '100.00',
  fee: '3.20',
  total: '103.20',
  currency: 'USD',
  productId: 'virtual-usd',
  holderId: exampleIds.holder,
  cardId: exampleIds.card,
  name: 'Travel',
  metadata: { order: '4711' },
  result: { cardId: exampleIds.card, receipt: 'R-4711' },
  createdAt: '2030-01-31T12:00:00.000Z',
  updatedAt: '2030-01-31T12:00:01.000Z',
};

export const operation = z
  .strictObject({
    id: operationId,
    environment,
    type: operationType,
    status: operationStatus,
    amount: money,
    fee: money.meta({ description: 'The fee of the operation', examples: ['3.20'] }),
    total: money.meta({
      description:
        'amount + fee: reserved, and captured on completion. The total of an unload is credited on completion',
      examples: ['103.20'],
    }),
    currency,
    productId,
    holderId: holderId.optional().meta({ description: 'The holder of the card; of an issue' }),
    cardId: cardId
      .optional()
      .meta({ description: 'The card of a topup or an unload; of an issue, once it is completed' }),
    name: z
      .string()
      .optional()
      .meta({ description: 'The name of the card; of an issue', examples: ['Travel'] }),
    recipient: z
      .string()
      .optional()
      .meta({ description: 'The recipient of a service', examples: ['+31612345678'] }),
    metadata: metadata.optional(),
    result: z
      .strictObject({
        cardId: cardId.optional().meta({ description: 'The card of an issue, a topup or an unload' }),
        receipt: z
          .string()
          .optional()
          .meta({ description: 'The receipt of the issuer, if there is one', examples: ['R-4711'] }),
      })
      .meta({ id: 'OperationResult', description: 'Empty until the operation is completed' }),
    failure: z
      .strictObject({
        code: z.string().meta({ description: 'The reason, for programs', examples: ['declined'] }),
        message: z.string().meta({ description: 'The reason, for people', examples: ['The issuer declined it.'] }),
      })
      .meta({ id: 'OperationFailure', description: 'Why the operation failed; absent otherwise' })
      .optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Operation', description: 'An operation and its current state', examples: [exampleOperation] });

const common = { productId, amount: amountOf('The amount for the card or the recipient', '100.00') };

const literalType = <Type extends OperationType>(type: Type) =>
  z.literal(type).meta({ description: 'The type of the operation' });

/** The additional fields of each type. */
const issue = {
  ...common,
  type: literalType('issue'),
  holderId: referenceTo(holderId).meta({ description: 'The holder of the new card' }),
  name: text(64)
    .optional()
    .meta({ description: 'The name of the card', examples: ['Travel'] }),
};
const topup = {
  ...common,
  type: literalType('topup'),
  productId: productId.meta({ description: 'The product of the card' }),
  cardId: referenceTo(cardId).meta({ description: 'The card to top up' }),
};
const service = {
  ...common,
  type: literalType('service'),
  recipient: text(256).meta({ description: 'The recipient of the service', examples: ['+31612345678'] }),
};

const unload = {
  type: literalType('unload'),
  amount: amountOf('The amount to take off the card, at least 0.01', '100.00'),
  cardId: referenceTo(cardId).meta({ description: 'The card to unload' }),
};

/** At the prices of the demo products, so that they work in a new installation. */
const examples = {
  issue: { type: 'issue', productId: 'virtual-usd', holderId: exampleIds.holder, name: 'Travel', amount: '100.00' },
  topup: { type: 'topup', productId: 'virtual-usd', cardId: exampleIds.card, amount: '100.00' },
  service: { type: 'service', productId: 'courier-delivery', recipient: '+31612345678', amount: '25.00' },
  unload: { type: 'unload', cardId: exampleIds.card, amount: '50.00' },
};

const orderExamples = {
  issue: { ...examples.issue, expectedTotal: '103.20' },
  topup: { ...examples.topup, expectedTotal: '100.20' },
  service: { ...examples.service, expectedTotal: '25.00' },
  unload: { ...examples.unload, expectedTotal: '50.00' },
};

const keyed = (example: object) => ({ idempotencyKey: 'order-4711', ...example });

const expectedTotal = amountOf('The total that you expect. A different total returns 409 quote_changed', '103.20');

/** What an operation has in addition to a quote. */
const ordered = { expectedTotal, metadata: metadataSchema.optional() };

const idempotencyKey = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\x21-\x7e]+$/)
  .meta({
    description: 'A unique value for every new operation, as in the header `Idempotency-Key`',
    examples: ['order-4711'],
  });

const fieldsOfSomeType = new Set(Object.keys({ ...issue, ...topup, ...service, ...unload, ...ordered }));

/** A field that belongs to another type gets a more specific message than an unknown field. */
function ofType<Shape extends { readonly type: z.ZodLiteral<OperationType> }>(
  shape: Shape,
  title: string,
  example: object,
) {
  const type = shape.type.value;
  return z
    .strictObject(shape, {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' && keys.every((key) => fieldsOfSomeType.has(key))
          ? `${keys.join(', ')} does not belong to the type ${type} here: remove it`
          : undefined,
    })
    .meta({ id: title, description: `The fields of the type \`${type}\``, example });
}

const whichType = { error: `must be one of ${operationTypes.join(', ')}` };
const discriminator = { discriminator: { propertyName: 'type' } };

export const operationBody = z
  .discriminatedUnion(
    'type',
    [
      ofType({ ...issue, ...ordered }, 'IssueOperation', orderExamples.issue),
      ofType({ ...topup, ...ordered }, 'TopupOperation', orderExamples.topup),
      ofType({ ...service, ...ordered }, 'ServiceOperation', orderExamples.service),
      ofType({ ...unload, ...ordered }, 'UnloadOperation', orderExamples.unload),
    ],
    whichType,
  )
  .meta({ id: 'OperationCreation', description: 'A new operation, by its type', ...discriminator });

/** An operation in a bulk request. Only documented: the fields except the key are validated as `operationBody`. */
export const bulkItem = z
  .discriminatedUnion(
    'type',
    [
      ofType({ idempotencyKey, ...issue, ...ordered }, 'BulkIssueOperation', keyed(orderExamples.issue)),
      ofType({ idempotencyKey, ...topup, ...ordered }, 'BulkTopupOperation', keyed(orderExamples.topup)),
      ofType({ idempotencyKey, ...service, ...ordered }, 'BulkServiceOperation', keyed(orderExamples.service)),
      ofType({ idempotencyKey, ...unload, ...ordered }, 'BulkUnloadOperation', keyed(orderExamples.unload)),
    ],
    whichType,
  )
  .meta({ id: 'BulkOperationCreation', description: 'A new operation with its key, by its type', ...discriminator });

export const quoteBody = z
  .discriminatedUnion(
    'type',
    [
      ofType(issue, 'IssueQuote', examples.issue),
      ofType(topup, 'TopupQuote', examples.topup),
      ofType(service, 'ServiceQuote', examples.service),
      ofType(unload, 'UnloadQuote', examples.unload),
    ],
    whichType,
  )
  .meta({ id: 'QuoteCreation', description: 'The operation to price, by its type', ...discriminator });
