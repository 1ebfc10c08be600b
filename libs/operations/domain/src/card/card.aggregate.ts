import { defineAggregate } from '@florin/kernel';
import { cardAnswer, cardDecider } from './card.decider';
import { cardEventVersions } from './card.messages';

export const cardAggregate = defineAggregate({
  decider: cardDecider,
  versions: cardEventVersions,
  answer: cardAnswer,
});
