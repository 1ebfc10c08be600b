import type { CardAnswer, CardStatus } from '@florin/operations-domain';

/** The card as clients see it. */
export type CardView = Omit<CardAnswer, 'cardId'> & { readonly id: string };

export interface CardFilter {
  readonly status?: CardStatus;
  readonly holderId?: string;
  readonly productId?: string;
}

/** Whose card it is, for messages that name a card and no company. */
export interface CardOwner {
  readonly cardId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
}
