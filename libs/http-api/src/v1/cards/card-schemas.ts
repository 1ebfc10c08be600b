import { type CardAnswer, cardStatuses } from '@florin/operations-domain';
import { z } from 'zod';
import { id, money, timestamp } from '../../schemas';
import { productId } from '../products/product-schemas';

export const cardStatus = z.enum(cardStatuses);

export const card = z
  .strictObject({
    id,
    name: z.string().meta({ examples: ['Travel'] }),
    holderId: id,
    last4: z.string().meta({ description: 'The last four digits of the card number', examples: ['4242'] }),
    status: cardStatus.meta({ examples: ['active'] }),
    balance: money.meta({ description: 'The amount that can be spent with the card' }),
    productId,
    createdAt: timestamp,
  })
  .meta({ id: 'Card' });

export function cardBody({ cardId, name, holderId, last4, status, balance, productId, createdAt }: CardAnswer) {
  return { id: cardId, name, holderId, last4, status, balance, productId, createdAt };
}
