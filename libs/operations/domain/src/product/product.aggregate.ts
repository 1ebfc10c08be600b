import { defineAggregate } from '@florin/kernel';
import { productAnswer, productDecider } from './product.decider';
import { productEventVersions } from './product.messages';

export const productAggregate = defineAggregate({
  decider: productDecider,
  versions: productEventVersions,
  answer: productAnswer,
});
