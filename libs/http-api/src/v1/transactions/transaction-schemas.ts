import { declineReasons, type PaymentAnswer, transactionStatuses, transactionTypes } from '@florin/operations-domain';
import { z } from 'zod';
import { amountOf, id, money, text, timestamp } from '../../schemas';

export const transactionType = z.enum(transactionTypes);
export const transactionStatus = z.enum(transactionStatuses);
export const merchant = text(200).meta({ description: 'The merchant', examples: ['Coffee House'] });
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'must be an ISO 3166-1 alpha-2 code in upper case, such as NL' })
  .meta({ description: 'ISO 3166-1 alpha-2', examples: ['NL'] });
export const merchantCategory = z
  .string()
  .regex(/^\d{4}$/, { error: 'must be a merchant category code with four digits, such as 5814' })
  .meta({ description: 'The merchant category code, ISO 18245', examples: ['5814'] });
export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be an ISO 4217 code in upper case, such as EUR' })
  .meta({ description: 'ISO 4217', examples: ['EUR'] });

/** What the merchant charged, if that was in another currency. */
export const original = {
  originalAmount: amountOf('What the merchant charged, in `originalCurrency`', '11.40').optional(),
  originalCurrency: currencyCode.optional(),
};

type Original = Partial<Record<keyof typeof original, string>>;

export function hasWholeOriginal({ originalAmount, originalCurrency }: Original): boolean {
  return (originalAmount === undefined) === (originalCurrency === undefined);
}

export const wholeOriginal = { path: ['originalCurrency'], error: 'must be sent together with originalAmount' };

export const transaction = z
  .strictObject({
    id,
    cardId: id,
    reference: z.string().meta({ description: 'The id that the issuer uses', examples: ['txn_55021'] }),
    type: transactionType,
    status: transactionStatus.meta({ examples: ['completed'] }),
    amount: money.meta({
      description: 'The amount as first reported, without a sign; the type determines the direction',
      examples: ['12.50'],
    }),
    authorizedAmount: money.meta({
      description: 'What the card authorized; `0.00` for a payment without authorization',
      examples: ['12.50'],
    }),
    clearedAmount: money.meta({ description: 'What was cleared so far', examples: ['12.50'] }),
    currency: z.string().meta({ description: 'ISO 4217', examples: ['USD'] }),
    originalAmount: money.optional().meta({ description: 'What the merchant charged in its currency, if it differs' }),
    originalCurrency: z
      .string()
      .optional()
      .meta({ description: 'ISO 4217', examples: ['EUR'] }),
    merchant: z.string().meta({ examples: ['Coffee House'] }),
    merchantCategory: z
      .string()
      .optional()
      .meta({ description: 'ISO 18245', examples: ['5814'] }),
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2', examples: ['NL'] }),
    description: z.string().meta({ examples: ['Two espressos'] }),
    declineReason: z.enum(declineReasons).optional().meta({ description: 'Why the card declined the payment' }),
    occurredAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Transaction' });

export function transactionBody(cardId: string, { transactionId, ...payment }: PaymentAnswer, updatedAt: string) {
  const { clearing: _clearing, refundOf: _refundOf, ...shown } = payment;
  return { id: transactionId, cardId, ...shown, updatedAt };
}
