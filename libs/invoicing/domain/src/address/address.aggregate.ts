import { defineAggregate } from '@florin/kernel';
import { addressAnswer, addressDecider } from './address.decider';
import { addressEventVersions } from './address.messages';

export const addressAggregate = defineAggregate({
  decider: addressDecider,
  versions: addressEventVersions,
  answer: addressAnswer,
});
