import { type Decider, refuse } from '@florin/kernel';
import type {
  TransactionClaimed,
  TransactionCommand,
  TransactionEvent,
  TransactionRefusal,
} from './transaction.messages';

/** Nothing until the transaction is claimed; from then on the first claim, for ever. */
export type TransactionState = TransactionClaimed['data'] | undefined;

export const transactionDecider: Decider<TransactionState, TransactionCommand, TransactionEvent, TransactionRefusal> = {
  category: 'transaction',

  initialState: () => undefined,

  decide: ({ data }, claim) => {
    if (claim === undefined) {
      const { transactionId, cardId, accountId, payment, fingerprint } = data;
      return [{ type: 'TransactionClaimed', data: { transactionId, cardId, accountId, payment, fingerprint } }];
    }
    // The card is compared besides, so that not even a careless fingerprint can move money on two cards.
    if (claim.fingerprint === data.fingerprint && claim.cardId === data.cardId) return [];
    return refuse(
      'idempotency_conflict',
      'This transaction was reported before with other data: repeat it unchanged, or send a new one under its own key or reference',
    );
  },

  evolve: (_state, { data }) => data,
};
