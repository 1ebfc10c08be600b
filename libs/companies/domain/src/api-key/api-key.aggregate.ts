import { defineAggregate } from '@florin/kernel';
import { apiKeyAnswer, apiKeyDecider } from './api-key.decider';
import { apiKeyEventVersions } from './api-key.messages';

export const apiKeyAggregate = defineAggregate({
  decider: apiKeyDecider,
  versions: apiKeyEventVersions,
  answer: apiKeyAnswer,
});
