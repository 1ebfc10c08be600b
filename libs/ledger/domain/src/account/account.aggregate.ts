import { defineAggregate } from '@florin/kernel';
import { accountAnswer } from './account-answers';
import { accountDecider } from './account.decider';
import { accountEventVersions } from './account.messages';

export const accountAggregate = defineAggregate({
  decider: accountDecider,
  versions: accountEventVersions,
  answer: accountAnswer,
});
