import { z } from 'zod';
import { amountOf, currency, text } from '../../schemas';

const percent = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,4})?$/, { error: 'must be a percentage below 100 as a decimal string, such as "0.2"' })
  .meta({ description: 'Percentage of the amount: `"0.2"` is 0.2 %', examples: ['0.2'] });

const terms = z
  .strictObject({ fixed: amountOf('Fixed fee per operation in US dollars', '3.00'), percent })
  .meta({ id: 'FeeTermsDefinition', description: 'The fee of one type of operation' });

const common = {
  name: text(120).meta({ description: 'The name of the product', examples: ['Virtual USD card'] }),
  minimumAmount: amountOf('The smallest `amount` of an operation', '10.00'),
  currency: currency.default('USD'),
  available: z.boolean().default(true).meta({ description: 'Whether the product can be ordered' }),
};

const atLeastOne = 'must have terms for issue, topup or both';

const cardProduct = z
  .strictObject({
    kind: z.literal('card').meta({ description: 'The kind of the product' }),
    ...common,
    fee: z
      .strictObject({ issue: terms.optional(), topup: terms.optional() })
      .refine(({ issue, topup }) => issue !== undefined || topup !== undefined, { error: atLeastOne })
      .meta({
        id: 'CardFees',
        minProperties: 1,
        description: 'The fees for issue and topup. A type without a fee cannot be ordered',
      }),
  })
  .meta({ id: 'CardProduct', description: 'The definition of a card product' });

const serviceProduct = z
  .strictObject({
    kind: z.literal('service').meta({ description: 'The kind of the product' }),
    ...common,
    fee: z.strictObject({ service: terms }).meta({ id: 'ServiceFees', description: 'The fee of a service' }),
  })
  .meta({ id: 'ServiceProduct', description: 'The definition of a service product' });

/** The definition of a product; its id is in the path. */
export const productDefinition = z
  .discriminatedUnion('kind', [cardProduct, serviceProduct], { error: 'must be card or service' })
  .meta({
    id: 'ProductDefinition',
    description: 'The definition of a product, by its kind',
    discriminator: { propertyName: 'kind' },
  });
