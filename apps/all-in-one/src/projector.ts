import {
  accountEntriesProjection,
  cardsProjection,
  companiesProjection,
  holdersProjection,
  operationsProjection,
  productsProjection,
} from '@florin/read-models';
import { runProjectorThread } from '@florin/runtime';

/** Every read model. */
void runProjectorThread([
  companiesProjection,
  productsProjection,
  holdersProjection,
  accountEntriesProjection,
  operationsProjection,
  cardsProjection,
]);
