import 'reflect-metadata';
import { environment, invoicingPart, runService } from '@florin/runtime';

/** Invoices from the request to the credit, and deposits without an invoice. */
void runService(
  { name: 'invoicing', parts: [invoicingPart], needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'kafka' }),
);
