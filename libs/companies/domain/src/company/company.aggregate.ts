import { defineAggregate } from '@florin/kernel';
import { companyAnswer, companyDecider } from './company.decider';
import { companyEventVersions } from './company.messages';

export const companyAggregate = defineAggregate({
  decider: companyDecider,
  versions: companyEventVersions,
  answer: companyAnswer,
});
