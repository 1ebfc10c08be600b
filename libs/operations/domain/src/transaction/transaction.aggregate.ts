import { defineAggregate } from '@florin/kernel';
import { transactionDecider } from './transaction.decider';
import { transactionEventVersions } from './transaction.messages';

/** Returns the first claim, which is the valid one. */
export const transactionAggregate = defineAggregate({
  decider: transactionDecider,
  versions: transactionEventVersions,
  answer: (first, { data }) => first ?? data,
});
