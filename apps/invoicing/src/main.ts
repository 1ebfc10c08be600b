import 'reflect-metadata';
import { processEnv, invoicingPart, runService } from '@florin/runtime';

/** Invoices from the request to the credit, and deposits without an invoice. */
void runService(
  { name: 'invoicing', parts: [invoicingPart], needs: ['DATABASE_URL'] },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
