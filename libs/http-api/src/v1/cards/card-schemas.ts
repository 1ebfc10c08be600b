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

export const exampleCard = {
  id: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  name: 'Travel',
  holderId: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c',
  last4: '4242',
  status: 'active',
  balance: '100.00',
  productId: 'virtual-usd',
  createdAt: '2030-01-31T12:00:00.000Z',
};
