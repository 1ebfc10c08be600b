import 'reflect-metadata';
import { environment, invoicingPart, runService } from '@florin/runtime';

/** Invoices, from the request to the credit, and whatever was paid without one. */
void runService(
  { name: 'invoicing', parts: [invoicingPart], needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'kafka' }),
);
