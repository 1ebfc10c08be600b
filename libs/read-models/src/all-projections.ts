import type { Projection } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import { accountEntriesProjection } from './account-entries/account-entries.projection';
import { cardsProjection } from './cards/cards.projection';
import { companiesProjection } from './companies/companies.projection';
import { depositsProjection } from './deposits/deposits.projection';
import { holdersProjection } from './holders/holders.projection';
import { invoicesProjection } from './invoices/invoices.projection';
import { operationsProjection } from './operations/operations.projection';
import { productsProjection } from './products/products.projection';
import { webhooksProjection } from './webhooks/webhooks.projection';

/** Every read model. */
export const allProjections: readonly Projection<PoolClient>[] = [
  companiesProjection,
  productsProjection,
  holdersProjection,
  accountEntriesProjection,
  operationsProjection,
  cardsProjection,
  invoicesProjection,
  depositsProjection,
  webhooksProjection,
];
