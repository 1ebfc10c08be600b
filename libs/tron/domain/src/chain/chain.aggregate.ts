import { defineAggregate } from '@florin/kernel';
import { chainDecider } from './chain.decider';
import { chainEventVersions } from './chain.messages';

export const chainAggregate = defineAggregate({
  decider: chainDecider,
  versions: chainEventVersions,
  answer: (state) => state,
});
