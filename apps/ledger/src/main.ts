import 'reflect-metadata';
import { companiesPart, environment, ledgerPart, runService } from '@florin/runtime';

/** Who has an account, and what is in it. */
void runService(
  { name: 'ledger', parts: [companiesPart, ledgerPart], needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'kafka' }),
);
