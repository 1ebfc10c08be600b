import 'reflect-metadata';
import { companiesPart, environment, ledgerPart, runService } from '@florin/runtime';

/** Companies, API keys and card accounts. */
void runService(
  { name: 'ledger', parts: [companiesPart, ledgerPart], needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'kafka' }),
);
