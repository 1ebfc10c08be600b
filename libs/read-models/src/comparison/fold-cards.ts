import { eventCodec } from '@florin/event-sourcing';
import { cardEventVersions } from '@florin/operations-domain';
import { applyToCard, type CardRows } from '../cards/card-rows';
import { applyToTransactions, type TransactionRows } from '../transactions/transaction-rows';
import type { ReadModelFold } from './folded-table';
import { forgotten, type RowOf } from './forgotten-rows';

export function foldCards(): ReadModelFold {
  const cards: CardRows = new Map();
  const transactions: TransactionRows = new Map();
  const codec = eventCodec(cardEventVersions);
  return {
    tables: [
      {
        name: 'cards',
        key: ['id'],
        rows: cards,
        forgotten: forgotten<RowOf<CardRows>>((row) => !row.isBalanceUnknown),
      },
      {
        ...{ name: 'transactions', key: ['id'], rows: transactions },
        forgotten: forgotten<RowOf<TransactionRows>>((row) => !row.isClearedUnknown && row.status !== 'pending'),
      },
    ],
    apply: (recorded) => {
      const { event, metadata } = codec.decode(recorded);
      applyToCard(cards, event, recorded.revision, metadata.recordedAt);
      applyToTransactions(transactions, event, recorded.revision, metadata.recordedAt);
    },
    complete: () => completeOldEvents(cards, transactions),
  };
}

const spendingTypes: ReadonlySet<unknown> = new Set(['purchase', 'withdrawal', 'fee', 'adjustment']);

/** As the projection does for events of the first release, which have neither balances nor cleared amounts. */
function completeOldEvents(cards: CardRows, transactions: TransactionRows): void {
  for (const row of transactions.values()) {
    if (row.isClearedUnknown) row.clearedAmount = row.status === 'completed' ? row.amount : 0n;
  }
  for (const card of cards.values()) if (card.isBalanceUnknown) card.balance = card.available;
  for (const { cardId, status, type, amount } of transactions.values()) {
    const card = cardId === undefined ? undefined : cards.get(cardId);
    if (!card?.isBalanceUnknown || status !== 'pending' || !spendingTypes.has(type)) continue;
    card.balance = BigInt(card.balance ?? 0) + BigInt(amount ?? 0);
  }
}
