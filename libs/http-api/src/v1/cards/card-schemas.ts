import { type AllowOrDeny, type CardAnswer, cardStatuses, reportedCardStatuses } from '@florin/operations-domain';
import { z } from 'zod';
import { amount, id, metadata, metadataSchema, money, text, timestamp } from '../../schemas';
import { productId } from '../products/product-schemas';
import { country, merchantCategory } from '../transactions/transaction-schemas';

export const cardStatus = z.enum(cardStatuses);

/** Long enough for all countries and for the categories of most companies. */
const maxListed = 250;

/** Either only these, or all but these. */
const allowOrDeny = (item: z.ZodString, description: string, example: string) => {
  const items = z.array(item).min(1, 'must not be empty').max(maxListed, `must have at most ${maxListed} entries`);
  return z
    .strictObject({ allow: items.optional(), deny: items.optional() })
    .refine(isEither, 'must have either allow or deny')
    .meta({ description, examples: [{ deny: [example] }] });
};

function isEither(rule: {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}): rule is AllowOrDeny {
  return (rule.allow === undefined) !== (rule.deny === undefined);
}

const limitOf = (description: string) => amount.nullish().meta({ description });

const limitChanges = z
  .strictObject({
    perTransaction: limitOf('The most that one payment may have'),
    daily: limitOf('The most that may be spent in a UTC day'),
    monthly: limitOf('The most that may be spent in a UTC month'),
    merchantCategories: allowOrDeny(merchantCategory, 'The merchant categories, ISO 18245', '7995').nullish(),
    countries: allowOrDeny(country, 'The countries of merchants, ISO 3166-1 alpha-2', 'US').nullish(),
  })
  .meta({ description: '`null` removes a limit' });

export const cardChanges = z
  .strictObject({
    name: text(64)
      .optional()
      .meta({ examples: ['Travel'] }),
    limits: limitChanges.optional(),
    metadata: metadataSchema.optional(),
  })
  .refine(
    (changes) => Object.values(changes).some((change) => change !== undefined),
    'name, limits or metadata must be sent',
  );

export const reportedStatus = z.strictObject({ status: z.enum(reportedCardStatuses) });

const listed = z.strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() });
const limits = z
  .strictObject({
    perTransaction: money.optional(),
    daily: money.optional(),
    monthly: money.optional(),
    merchantCategories: listed.optional(),
    countries: listed.optional(),
  })
  .meta({ description: 'What may be spent with the card; days and months are UTC', examples: [{ daily: '500.00' }] });

export const card = z
  .strictObject({
    id,
    name: z.string().meta({ examples: ['Travel'] }),
    holderId: id,
    last4: z.string().meta({ description: 'The last four digits of the card number', examples: ['4242'] }),
    status: cardStatus.meta({ examples: ['active'] }),
    balance: money.meta({ description: 'The money on the card' }),
    available: money.meta({ description: 'What can be spent: the balance without pending authorizations' }),
    limits,
    metadata,
    productId,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Card' });

export function cardBody({ cardId, ...card }: CardAnswer & { readonly updatedAt: string }) {
  const { name, holderId, last4, status, balance, available, limits, metadata, productId, createdAt, updatedAt } = card;
  return {
    ...{ id: cardId, name, holderId, last4, status, balance, available, limits, metadata },
    ...{ productId, createdAt, updatedAt },
  };
}

export const exampleCard = {
  id: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  name: 'Travel',
  holderId: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c',
  last4: '4242',
  status: 'active',
  balance: '100.00',
  available: '100.00',
  limits: { daily: '500.00' },
  metadata: { team: 'sales' },
  productId: 'virtual-usd',
  createdAt: '2030-01-31T12:00:00.000Z',
  updatedAt: '2030-01-31T12:00:00.000Z',
};
