import type { Product, ProductKind } from '@florin/operations-domain';
import { z } from 'zod';
import { currency, explainedEnum, money } from '../../schemas';

const idPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function isProductId(text: string): boolean {
  return idPattern.test(text);
}

export const productId = z
  .string()
  .regex(idPattern, { error: 'must be the id of a product: 1 to 63 characters a-z, 0-9 and hyphens' })
  .meta({ id: 'ProductId', description: 'The id of a product', examples: ['virtual-usd'] });

const feeTerms = z
  .strictObject({
    fixed: money.meta({ description: 'The fixed part of the fee', examples: ['3.00'] }),
    percent: z.string().meta({ description: 'The percentage of the amount: `0.2` is 0.2 %', examples: ['0.2'] }),
  })
  .meta({ id: 'FeeTerms', description: 'fixed + percent of the amount' });

const shape = {
  id: productId,
  kind: explainedEnum<ProductKind>('ProductKind', 'What the product is', {
    card: 'A card that can be issued and topped up',
    service: 'A service for a recipient',
  }),
  name: z.string().meta({ description: 'The name of the product', examples: ['Virtual USD card'] }),
  currency,
  fee: z.strictObject({ issue: feeTerms.optional(), topup: feeTerms.optional(), service: feeTerms.optional() }).meta({
    id: 'ProductFees',
    description: 'The fee of each type of operation. A type without a fee cannot be ordered',
  }),
  minimumAmount: money.meta({
    description: 'The smallest `amount` that every type of operation accepts',
    examples: ['10.00'],
  }),
};

export const product = z.strictObject(shape).meta({ id: 'Product', description: 'A product and its fees' });

/** For operators, who also see unavailable products. */
export const operatorProduct = z
  .strictObject({ ...shape, available: z.boolean().meta({ description: 'Whether the product can be ordered' }) })
  .meta({ id: 'OperatorProduct', description: 'A product with its availability' });

export function productBody({ productId, kind, name, currency, fee, minimumAmount }: Product) {
  return { id: productId, kind, name, currency, fee, minimumAmount };
}

const terms = { fixed: '3.00', percent: '0.2' };

export const exampleProduct = {
  id: 'virtual-usd',
  kind: 'card',
  name: 'Virtual USD card',
  currency: 'USD',
  fee: { issue: terms, topup: { ...terms, fixed: '0.00' } },
  minimumAmount: '10.00',
};
