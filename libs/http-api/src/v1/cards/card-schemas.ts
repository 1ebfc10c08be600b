import type { AllowOrDeny, CardAnswer, CardStatus, ReportedCardStatus } from '@florin/operations-domain';
import { z } from 'zod';
import { cardId, exampleIds, holderId } from '../../ids';
import { amount, explainedEnum, metadata, metadataSchema, money, text, timestamp } from '../../schemas';
import { productId } from '../products/product-schemas';
import { country, merchantCategory } from '../transactions/transaction-schemas';

export const cardStatus = explainedEnum<CardStatus>('CardStatus', 'The status of a card', {
  pending: 'The issuer has not activated the card yet',
  active: 'The card can be used and topped up',
  frozen: 'You froze the card: it declines payments until you unfreeze it',
  blocked: 'The issuer or an operator blocked the card: it declines payments, and can only be unloaded and closed',
  closed: 'The card is closed permanently',
  expired: 'The card has expired: it declines payments, and can only be unloaded and closed',
});

/** Long enough for all countries and for the categories of most companies. */
const maxListed = 250;

/** Either only these, or all but these. */
const allowOrDeny = (name: string, item: z.ZodString, description: string, example: string) => {
  const items = z.array(item).min(1, 'must not be empty').max(maxListed, `must have at most ${maxListed} entries`);
  return z
    .strictObject({
      allow: items.optional().meta({ description: 'Allow only these' }),
      deny: items.optional().meta({ description: 'Allow all but these' }),
    })
    .refine(isEither, 'must have either allow or deny')
    .meta({ id: name, description, minProperties: 1, maxProperties: 1, examples: [{ deny: [example] }] });
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
    merchantCategories: allowOrDeny(
      'MerchantCategoryRule',
      merchantCategory,
      'The merchant categories, ISO 18245',
      '7995',
    )
      .nullish()
      .meta({ description: 'The merchant categories' }),
    countries: allowOrDeny('CountryRule', country, 'The countries of merchants, ISO 3166-1 alpha-2', 'US')
      .nullish()
      .meta({ description: 'The countries of merchants' }),
  })
  .meta({
    id: 'CardLimitChanges',
    description: 'The limits to change; `null` removes a limit',
    example: { daily: '500.00' },
  });

export const cardChanges = z
  .strictObject({
    name: text(64)
      .optional()
      .meta({ description: 'The name of the card', examples: ['Travel'] }),
    limits: limitChanges.optional(),
    metadata: metadataSchema.optional(),
  })
  .refine(
    (changes) => Object.values(changes).some((change) => change !== undefined),
    'name, limits or metadata must be sent',
  )
  .meta({ id: 'CardChange', description: 'The fields of a card to change', minProperties: 1 });

export const reportedStatus = z
  .strictObject({
    status: explainedEnum<ReportedCardStatus>('ReportedCardStatus', 'What the issuer reports', {
      active: 'The issuer activates or unblocks the card',
      blocked: 'The issuer blocks the card',
      expired: 'The card has expired',
    }).meta({ examples: ['blocked'] }),
  })
  .meta({ id: 'SandboxCardStatus', description: 'A simulated report of the issuer' });

const codes = z.array(z.string());
const listed = z
  .strictObject({
    allow: codes.optional().meta({ description: 'Only these are allowed' }),
    deny: codes.optional().meta({ description: 'All but these are allowed' }),
  })
  .meta({ id: 'AllowOrDeny', description: 'Has either `allow` or `deny`', examples: [{ deny: ['7995'] }] });
const limits = z
  .strictObject({
    perTransaction: money.optional().meta({ description: 'The most that one payment may have' }),
    daily: money.optional().meta({ description: 'The most that may be spent in a UTC day' }),
    monthly: money.optional().meta({ description: 'The most that may be spent in a UTC month' }),
    merchantCategories: listed.optional().meta({ description: 'The merchant categories, ISO 18245' }),
    countries: listed
      .optional()
      .meta({ description: 'The countries of merchants, ISO 3166-1 alpha-2', examples: [{ deny: ['US'] }] }),
  })
  .meta({
    id: 'CardLimits',
    description: 'What may be spent with the card; days and months are UTC',
    examples: [{ daily: '500.00' }],
  });

export const card = z
  .strictObject({
    id: cardId,
    name: z.string().meta({ description: 'The name of the card', examples: ['Travel'] }),
    holderId,
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
  .meta({ id: 'Card', description: 'A card' });

export function cardBody({ cardId, ...card }: CardAnswer & { readonly updatedAt: string }) {
  const { name, holderId, last4, status, balance, available, limits, metadata, productId, createdAt, updatedAt } = card;
  return {
    ...{ id: cardId, name, holderId, last4, status, balance, available, limits, metadata },
    ...{ productId, createdAt, updatedAt },
  };
}

export const exampleCard = {
  id: exampleIds.card,
  name: 'Travel',
  holderId: exampleIds.holder,
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
