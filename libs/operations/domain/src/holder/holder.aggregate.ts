import { defineAggregate } from '@florin/kernel';
import { holderAnswer, holderDecider } from './holder.decider';
import { holderEventVersions } from './holder.messages';

export const holderAggregate = defineAggregate({
  decider: holderDecider,
  versions: holderEventVersions,
  answer: (directory, { data }) => holderAnswer(directory, data.holderId),
});
