import type { Scope } from '@florin/companies-domain';
import { type OperationObject, operationStatuses, type OperationType, operationTypes } from '@florin/operations-domain';
import { z } from 'zod';
import type { Permissions } from '../../endpoint-definition';
import { amountOf, environment, id, metadata, metadataSchema, money, reference, text, timestamp } from '../../schemas';
import { productId } from '../products/product-schemas';

export const operationType = z.enum(operationTypes);
export const operationStatus = z.enum(operationStatuses);

export const exampleOperation: OperationObject = {
  id: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  environment: 'sandbox',
  type: 'issue',
  status: 'completed',
  amount: '100.00',
  fee: '3.20',
  total: '103.20',
  currency: 'USD',
  productId: 'virtual-usd',
  holderId: '3c1e57f0-2f0c-5c4e-9d53-5b6a9d3c1e57',
  cardId: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c',
  name: 'Travel',
  metadata: { order: '4711' },
  result: { cardId: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c', receipt: 'R-4711' },
  createdAt: '2030-01-31T12:00:00.000Z',
  updatedAt: '2030-01-31T12:00:01.000Z',
};

export const operation = z
  .strictObject({
    id,
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
    currency: z.literal('USD'),
    productId,
    holderId: id.optional().meta({ description: 'The holder of the card; of an issue' }),
    cardId: id.optional().meta({ description: 'The card of a topup or an unload; of an issue, once it is completed' }),
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
        cardId: id.optional().meta({ description: 'The card of an issue, a topup or an unload' }),
        receipt: z
          .string()
          .optional()
          .meta({ description: 'The receipt of the issuer, if there is one', examples: ['R-4711'] }),
      })
      .meta({ description: 'Empty until the operation is completed' }),
    failure: z
      .strictObject({ code: z.string().meta({ examples: ['declined'] }), message: z.string() })
      .optional()
      .meta({ description: 'Why the operation failed; absent otherwise' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Operation', examples: [exampleOperation] });

const common = { productId, amount: amountOf('The amount for the card or the recipient', '100.00') };

/** The additional fields of each type. */
const issue = {
  ...common,
  type: z.literal('issue'),
  holderId: reference.meta({ description: 'The holder of the new card' }),
  name: text(64)
    .optional()
    .meta({ description: 'The name of the card', examples: ['Travel'] }),
};
const topup = {
  ...common,
  type: z.literal('topup'),
  productId: productId.meta({ description: 'The product of the card' }),
  cardId: reference.meta({ description: 'The card to top up' }),
};
const service = {
  ...common,
  type: z.literal('service'),
  recipient: text(256).meta({ description: 'The recipient of the service', examples: ['+31612345678'] }),
};

const unload = {
  type: z.literal('unload'),
  amount: amountOf('The amount to take off the card, at least 0.01', '100.00'),
  cardId: reference.meta({ description: 'The card to unload' }),
};

const expectedTotal = amountOf('The total that you expect. A different total returns 409 quote_changed', '103.20');

/** What an operation has in addition to a quote. */
const ordered = { expectedTotal, metadata: metadataSchema.optional() };

const fieldsOfSomeType = new Set(Object.keys({ ...issue, ...topup, ...service, ...unload, ...ordered }));

/** A field that belongs to another type gets a more specific message than an unknown field. */
function ofType<Shape extends { readonly type: z.ZodLiteral<OperationType> }>(shape: Shape, title: string) {
  const type = shape.type.value;
  return z
    .strictObject(shape, {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' && keys.every((key) => fieldsOfSomeType.has(key))
          ? `${keys.join(', ')} does not belong to the type ${type} here: remove it`
          : undefined,
    })
    .meta({ id: title });
}

const whichType = { error: `must be one of ${operationTypes.join(', ')}` };
const discriminator = { discriminator: { propertyName: 'type' } };

export const operationBody = z
  .discriminatedUnion(
    'type',
    [
      ofType({ ...issue, ...ordered }, 'IssueOperation'),
      ofType({ ...topup, ...ordered }, 'TopupOperation'),
      ofType({ ...service, ...ordered }, 'ServiceOperation'),
      ofType({ ...unload, ...ordered }, 'UnloadOperation'),
    ],
    whichType,
  )
  .meta(discriminator);

export const quoteBody = z
  .discriminatedUnion(
    'type',
    [
      ofType(issue, 'IssueQuote'),
      ofType(topup, 'TopupQuote'),
      ofType(service, 'ServiceQuote'),
      ofType(unload, 'UnloadQuote'),
    ],
    whichType,
  )
  .meta(discriminator);

/** The scope that an operation of this type requires. */
export const writeScopes: Readonly<Record<OperationType, Scope>> = {
  issue: 'cards:write',
  topup: 'cards:write',
  service: 'services:write',
  unload: 'cards:write',
};

const permissionsOfType: Readonly<Record<OperationType, Permissions>> = {
  issue: { scope: writeScopes.issue, issuer: true },
  topup: { scope: writeScopes.topup, issuer: true },
  service: { scope: writeScopes.service, issuer: true, capability: 'services' },
  unload: { scope: writeScopes.unload, issuer: true },
};

/** Every type requires an issuer, so a body without a valid type does, too. */
export function operationPermissions(body: unknown): Permissions {
  const type = (body as { readonly type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' && Object.hasOwn(permissionsOfType, type)
    ? permissionsOfType[type as OperationType]
    : { issuer: true };
}
