import { type CardPayment, transactionStatuses, transactionTypes } from '@florin/operations-domain';
import { z } from 'zod';
import { id, money, text, timestamp } from '../../schemas';

export const transactionType = z.enum(transactionTypes);
export const transactionStatus = z.enum(transactionStatuses);
export const merchant = text(200).meta({ description: 'The merchant', examples: ['Coffee House'] });
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'must be an ISO 3166-1 alpha-2 code in upper case, such as NL' })
  .meta({ description: 'ISO 3166-1 alpha-2', examples: ['NL'] });

export const transaction = z
  .strictObject({
    id,
    cardId: id,
    reference: z.string().meta({ description: 'The id that the issuer uses', examples: ['txn_55021'] }),
    type: transactionType,
    status: transactionStatus.meta({ examples: ['completed'] }),
    amount: money.meta({
      description: 'The amount without a sign; the type determines the direction',
      examples: ['12.50'],
    }),
    currency: z.string().meta({ description: 'ISO 4217', examples: ['USD'] }),
    merchant: z.string().meta({ examples: ['Coffee House'] }),
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2', examples: ['NL'] }),
    description: z.string().meta({ examples: ['Two espressos'] }),
    occurredAt: timestamp,
  })
  .meta({ id: 'Transaction' });

export function transactionBody(cardId: string, { transactionId, ...payment }: CardPayment) {
  const { reference, type, status, amount, currency, merchant, country, description, occurredAt } = payment;
  return {
    ...{ id: transactionId, cardId, reference, type, status, amount, currency },
    ...{ merchant, country, description, occurredAt },
  };
}
