import { defineAggregate } from '@florin/kernel';
import { quoteDecider } from './quote.decider';
import { quoteEventVersions } from './quote.messages';

/** Answers with the first quote that was stored. */
export const quoteAggregate = defineAggregate({
  decider: quoteDecider,
  versions: quoteEventVersions,
  answer: (first, { data }) => (first ?? data).quote,
});
