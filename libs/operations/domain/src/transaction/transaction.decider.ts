import { type Aggregate, assert, refuse } from '@florin/kernel';
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
    const { transactionId, cardId, accountId, payment, fingerprint, reportedAt } = data;
    if (claim === undefined) {
      if (fingerprint === undefined) return refuse('not_found', 'There is no such transaction: check its id');
      return [
        { type: 'TransactionClaimed', data: { transactionId, cardId, accountId, payment, fingerprint, reportedAt } },
      ];
    }
    // A clearing may have another amount than its authorization.
    const isCompared = fingerprint !== undefined && payment.clearing === undefined;
    // Also compares the card, in case a fingerprint does not include it: one transaction must not move money on two cards.
    if (claim.cardId === cardId && (!isCompared || claim.fingerprint === fingerprint)) return [];
    return refuse(
      'idempotency_conflict',
      'This transaction was already reported with different data: repeat it unchanged, or use a new key or reference',
    );
  },

  evolve: (_state, { data }) => data,

  /** Returns the first claim, which is the valid one. */
  answer: (first) => {
    assert(first !== undefined, 'the transaction must be claimed after an accepted command');
    return first;
  },
};
