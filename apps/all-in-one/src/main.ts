import 'reflect-metadata';
import { CompaniesModule } from '@florin/companies-application';
import { InvoicingModule, invoicesProcess, settlementProcess } from '@florin/invoicing-application';
import { LedgerModule } from '@florin/ledger-application';
import { OperationsModule, operationsProcess } from '@florin/operations-application';
import { invoicingOptions, operationsOptions, runService, tronModules, webhooksOptions } from '@florin/runtime';
import { WebhooksModule } from '@florin/webhooks-application';
import { join } from 'node:path';

/** `NAME=value` on the command line is what a variable is when the environment does not say otherwise. */
const defaults = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('=', 2)));

/** Everything in one process: every context's module, the gateway, and a thread for the projections. */
void runService(
  {
    name: 'florin',
    modules: (config, log) => [
      CompaniesModule,
      LedgerModule,
      OperationsModule.forRoot(operationsOptions(config, log)),
      InvoicingModule.forRoot(invoicingOptions(config, log)),
      ...tronModules(config, log),
      WebhooksModule.forRoot(webhooksOptions(config, log)),
    ],
    processes: [operationsProcess, invoicesProcess, settlementProcess],
    projector: join(__dirname, 'projector.js'),
  },
  { ...defaults, ...process.env },
);
