import { defineAggregate } from '@florin/kernel';
import { operationAnswer } from './operation-answer';
import { operationDecider } from './operation.decider';
import { operationEventVersions } from './operation.messages';

export const operationAggregate = defineAggregate({
  decider: operationDecider,
  versions: operationEventVersions,
  answer: operationAnswer,
});
