import 'reflect-metadata';
import { CompaniesModule } from '@florin/companies-application';
import { LedgerModule } from '@florin/ledger-application';
import { OperationsModule, operationsProcess } from '@florin/operations-application';
import { operationsOptions, runService } from '@florin/runtime';
import { join } from 'node:path';

/** Everything in one process: every context's module, the gateway, and a thread for the projections. */
void runService(
  {
    name: 'florin',
    modules: (config, log) => [CompaniesModule, LedgerModule, OperationsModule.forRoot(operationsOptions(config, log))],
    processes: [operationsProcess],
    projector: join(__dirname, 'projector.js'),
  },
  process.env,
);
