import type { DeclineReason, PaymentAnswer, TransactionStatus, TransactionType } from '@florin/operations-domain';
import { z } from 'zod';
import { cardId, transactionId } from '../../ids';
import { amountOf, explainedEnum, money, text, timestamp } from '../../schemas';

export const transactionType = explainedEnum<TransactionType>('TransactionType', 'The type of a card payment', {
  purchase: 'A payment to a merchant; takes the amount off the card',
  refund: 'A merchant returns money to the card',
  withdrawal: 'Cash from a machine; takes the amount off the card',
  verification: 'A merchant checks the card; does not change the balance',
  fee: 'A fee of the issuer; takes the amount off the card',
  adjustment: 'A correction by the issuer; takes the amount off the card',
});
export const transactionStatus = explainedEnum<TransactionStatus>('TransactionStatus', 'The status of a card payment', {
  pending: 'Authorized and not cleared yet: the amount is not available on the card',
  completed: 'Cleared: the money has left the card, or has arrived on it',
  declined: 'The card declined the payment; see `declineReason`',
  reversed: 'The payment was undone, and its amount is on the card again',
  expired: 'The authorization was never cleared, and its amount is available again',
});
const declineReason = explainedEnum<DeclineReason>('DeclineReason', 'Why the card declined the payment', {
  card_not_active: 'The card is not active',
  merchant_not_allowed: 'The limits of the card do not allow the merchant category',
  country_not_allowed: 'The limits of the card do not allow the country',
  limit_exceeded: 'The payment exceeds a limit of the card: per transaction, day or month',
  insufficient_card_balance: 'The card has too little available',
});
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
    id: transactionId,
    cardId,
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
    currency: z.string().meta({ description: 'The currency of `amount`, ISO 4217', examples: ['USD'] }),
    originalAmount: money.optional().meta({ description: 'What the merchant charged in its currency, if it differs' }),
    originalCurrency: z
      .string()
      .optional()
      .meta({ description: 'The currency of `originalAmount`, ISO 4217', examples: ['EUR'] }),
    merchant: z.string().meta({ description: 'The merchant', examples: ['Coffee House'] }),
    merchantCategory: z
      .string()
      .optional()
      .meta({ description: 'The merchant category code, ISO 18245', examples: ['5814'] }),
    country: z.string().meta({ description: 'The country of the merchant, ISO 3166-1 alpha-2', examples: ['NL'] }),
    description: z.string().meta({ description: 'A description; can be empty', examples: ['Two espressos'] }),
    declineReason: declineReason.optional(),
    occurredAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Transaction', description: 'A card payment' });

export function transactionBody(cardId: string, { transactionId, ...payment }: PaymentAnswer, updatedAt: string) {
  const { clearing: _clearing, refundOf: _refundOf, ...shown } = payment;
  return { id: transactionId, cardId, ...shown, updatedAt };
}
