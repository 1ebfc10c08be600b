import 'reflect-metadata';
import { CompaniesModule } from '@florin/companies-application';
import { LedgerModule } from '@florin/ledger-application';
import { accountEntriesProjection, companiesProjection } from '@florin/read-models';
import { runService } from '@florin/runtime';

/** Everything in one process: every context's module, every projection, and the gateway. */
void runService(
  {
    name: 'florin',
    modules: [CompaniesModule, LedgerModule],
    projections: [accountEntriesProjection, companiesProjection],
  },
  process.env,
);
