import { eventCodec, type Projection } from '@florin/event-sourcing';
import { cardAggregate, cardEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { applyToTransactions, saveTransactions, type TransactionRows } from '../transactions/transaction-rows';
import { applyToCard, type CardRows, saveCards } from './card-rows';

const codec = eventCodec(cardEventVersions);

/** Cards and their payments, in one transaction: a balance and the payment that changed it become visible together. */
export const cardsProjection: Projection<PoolClient> = {
  name: 'cards',
  categories: [cardAggregate.category],
  project: async (events, tx) => {
    const cards: CardRows = new Map();
    const transactions: TransactionRows = new Map();
    for (const recorded of events) {
      const { event } = codec.decode(recorded);
      applyToCard(cards, event, recorded.revision);
      applyToTransactions(transactions, event, recorded.revision);
    }
    await saveCards(cards.values(), tx);
    await saveTransactions(transactions.values(), tx);
  },
};
