import { z } from 'zod';
import { amountOf, text } from '../../schemas';

const percent = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,4})?$/, { error: 'must be a percentage below 100 as a decimal string, such as "0.2"' })
  .meta({ description: 'Percentage of the amount: `"0.2"` is 0.2 %', examples: ['0.2'] });

const terms = z.strictObject({ fixed: amountOf('Fixed fee per operation in US dollars', '3.00'), percent });

const common = {
  name: text(120).meta({ examples: ['Virtual USD card'] }),
  minimumAmount: amountOf('The smallest `amount` of an operation', '10.00'),
  currency: z.literal('USD').default('USD'),
  available: z.boolean().default(true).meta({ description: 'Whether the product can be ordered' }),
};

const atLeastOne = 'must have terms for issue, topup or both';

const cardProduct = z
  .strictObject({
    kind: z.literal('card'),
    ...common,
    fee: z
      .strictObject({ issue: terms.optional(), topup: terms.optional() })
      .refine(({ issue, topup }) => issue !== undefined || topup !== undefined, { error: atLeastOne })
      .meta({ description: 'The fees for issue and topup. A type without a fee cannot be ordered' }),
  })
  .meta({ id: 'CardProduct' });

const serviceProduct = z
  .strictObject({ kind: z.literal('service'), ...common, fee: z.strictObject({ service: terms }) })
  .meta({ id: 'ServiceProduct' });

/** The definition of a product; its id is in the path. */
export const productDefinition = z
  .discriminatedUnion('kind', [cardProduct, serviceProduct], { error: 'must be card or service' })
  .meta({ discriminator: { propertyName: 'kind' } });
