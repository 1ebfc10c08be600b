import 'reflect-metadata';
import { processEnv, operationsPart, runService } from '@florin/runtime';

/** Operations from the request to their outcome, cards, holders and products. */
void runService(
  { name: 'operations', parts: [operationsPart], vault: ['holderKeys'], needs: ['DATABASE_URL', 'VAULT_KEY'] },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
