import 'reflect-metadata';
import { companiesPart, ledgerPart, processEnv, runService } from '@florin/runtime';

/** The contexts companies and ledger: companies, API keys and card accounts. */
void runService(
  { name: 'ledger', parts: [companiesPart, ledgerPart], needs: ['DATABASE_URL'] },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
