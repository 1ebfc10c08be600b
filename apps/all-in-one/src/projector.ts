import {
  accountEntriesProjection,
  cardsProjection,
  companiesProjection,
  depositsProjection,
  holdersProjection,
  invoicesProjection,
  operationsProjection,
  productsProjection,
  webhooksProjection,
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
  invoicesProjection,
  depositsProjection,
  webhooksProjection,
]);
