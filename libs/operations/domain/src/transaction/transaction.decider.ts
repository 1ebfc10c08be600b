import { type Decider, refuse } from '@florin/kernel';
import type {
  TransactionClaimed,
  TransactionCommand,
  TransactionEvent,
  TransactionRefusal,
} from './transaction.messages';

/** The first claim of the transaction. Never changes. */
export type TransactionState = TransactionClaimed['data'] | undefined;

export const transactionDecider: Decider<TransactionState, TransactionCommand, TransactionEvent, TransactionRefusal> = {
  category: 'transaction',

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
};
