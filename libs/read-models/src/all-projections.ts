import type { Projection } from '@florin/event-sourcing';
import type { KeyWrapper } from '@florin/kernel';
import type { PoolClient } from 'pg';
import { acceptedRequestsProjection } from './accepted-requests/accepted-requests.projection';
import { accountEntriesProjection } from './account-entries/account-entries.projection';
import { adjustmentsProjection } from './adjustments/adjustments.projection';
import { approvalsProjection } from './approvals/approvals.projection';
import { cardsProjection } from './cards/cards.projection';
import { companiesProjection } from './companies/companies.projection';
import { depositsProjection } from './deposits/deposits.projection';
import { holdersProjection } from './holders/holders.projection';
import { invoicesProjection } from './invoices/invoices.projection';
import { operationsProjection } from './operations/operations.projection';
import { operatorsProjection } from './operators/operators.projection';
import { productsProjection } from './products/products.projection';
import { webhooksProjection } from './webhooks/webhooks.projection';

/** A projection whose tables contain only data from the log, so they can be rebuilt. */
export interface ReadModel {
  readonly projection: Projection<PoolClient>;
  /** In the schema `read_models`. */
  readonly tables: readonly string[];
  /** A replay also keeps rows that the log does not have: a gateway that finds no row would execute an old request again. */
  readonly keepsRows?: true;
  /** Names in plain text. A replay keeps no old tables, because an erasure would not reach them. */
  readonly hasPersonalData?: true;
}

/** `vaultKeys` unwrap the keys of holders and operators. */
export const readModels = (vaultKeys: KeyWrapper): readonly ReadModel[] => [
  { projection: companiesProjection, tables: ['companies', 'api_keys', 'api_key_secrets'] },
  { projection: operatorsProjection(vaultKeys), tables: ['operators'], hasPersonalData: true },
  { projection: productsProjection, tables: ['products'] },
  { projection: holdersProjection(vaultKeys), tables: ['holders'], hasPersonalData: true },
  { projection: accountEntriesProjection, tables: ['account_entries'] },
  { projection: operationsProjection, tables: ['operations'] },
  { projection: cardsProjection, tables: ['cards', 'transactions'] },
  { projection: invoicesProjection, tables: ['invoices'] },
  { projection: depositsProjection, tables: ['deposits'] },
  { projection: approvalsProjection, tables: ['approvals'] },
  { projection: adjustmentsProjection, tables: ['adjustments'] },
  { projection: acceptedRequestsProjection, tables: ['accepted_requests'], keepsRows: true },
];

/** Every projection. Webhook deliveries are not in the log, so their tables are never truncated. */
export const allProjections = (vaultKeys: KeyWrapper): readonly Projection<PoolClient>[] => [
  ...readModels(vaultKeys).map(({ projection }) => projection),
  webhooksProjection(vaultKeys),
];
