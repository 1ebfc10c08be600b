import { defineAggregate } from '@florin/kernel';
import { endpointAnswer } from './endpoint-answer';
import { endpointDecider } from './endpoint.decider';
import { endpointEventVersions } from './endpoint.messages';

export const endpointAggregate = defineAggregate({
  decider: endpointDecider,
  versions: endpointEventVersions,
  answer: endpointAnswer,
});
