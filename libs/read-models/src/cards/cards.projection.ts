import { eventCodec, type Projection } from '@florin/event-sourcing';
import { cardAggregate, cardEventVersions } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import {
  applyToTransactions,
  saveAmountsOfOldEvents,
  saveTransactions,
  type TransactionRows,
} from '../transactions/transaction-rows';
import { applyToCard, type CardRows, saveBalancesOfOldEvents, saveCards } from './card-rows';

const codec = eventCodec(cardEventVersions);

/** Cards and their payments, in one transaction: a balance and the payment that changed it become visible together. */
export const cardsProjection: Projection<PoolClient> = {
  name: 'cards',
  categories: [cardAggregate.category],
  project: async (events, tx) => {
    const cards: CardRows = new Map();
    const transactions: TransactionRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      applyToCard(cards, event, recorded.revision, metadata.recordedAt);
      applyToTransactions(transactions, event, recorded.revision, metadata.recordedAt);
    }
    await saveCards(cards.values(), tx);
    await saveTransactions(transactions.values(), tx);
    await saveAmountsOfOldEvents(transactions, tx);
    await saveBalancesOfOldEvents(cards, tx);
  },
};
