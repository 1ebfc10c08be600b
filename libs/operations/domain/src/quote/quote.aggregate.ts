import { defineAggregate } from '@florin/kernel';
import { quoteDecider } from './quote.decider';
import { quoteEventVersions } from './quote.messages';

/** Returns the first stored quote. */
export const quoteAggregate = defineAggregate({
  decider: quoteDecider,
  versions: quoteEventVersions,
  answer: (first, { data }) => (first ?? data).quote,
});
