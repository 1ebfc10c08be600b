import { type Aggregate, refuse } from '@florin/kernel';
import {
  type TransactionClaimed,
  type TransactionCommand,
  type TransactionEvent,
  transactionEventVersions,
  type TransactionRefusal,
} from './transaction.messages';

/** The first claim of the transaction. Never changes. */
export type TransactionState = TransactionClaimed['data'] | undefined;

export const transactionAggregate: Aggregate<
  TransactionState,
  TransactionCommand,
  TransactionEvent,
  TransactionRefusal,
  TransactionClaimed['data']
> = {
  category: 'transaction',
  versions: transactionEventVersions,

  initialState: () => undefined,

  decide: ({ data }, claim) => {
    if (claim === undefined) {
      const { transactionId, cardId, accountId, payment, fingerprint } = data;
      return [{ type: 'TransactionClaimed', data: { transactionId, cardId, accountId, payment, fingerprint } }];
    }
    // Also compares the card, in case a fingerprint does not include it: one transaction must not move money on two cards.
    if (claim.fingerprint === data.fingerprint && claim.cardId === data.cardId) return [];
    return refuse(
      'idempotency_conflict',
      'This transaction was already reported with different data: repeat it unchanged, or use a new key or reference',
    );
  },

  evolve: (_state, { data }) => data,

  /** Returns the first claim, which is the valid one. */
  answer: (first, { data }) => first ?? data,
};
