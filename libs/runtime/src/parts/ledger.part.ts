import { CompaniesModule } from '@florin/companies-application';
import { LedgerModule } from '@florin/ledger-application';
import type { ServicePart } from '../service-definition';

export const companiesPart: ServicePart = { modules: () => [CompaniesModule] };

export const ledgerPart: ServicePart = { modules: () => [LedgerModule] };
