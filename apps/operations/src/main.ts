import 'reflect-metadata';
import { environment, operationsPart, runService } from '@florin/runtime';

/** Orders of cards and services, from the request to their end, and the cards themselves. */
void runService(
  { name: 'operations', parts: [operationsPart], needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'kafka' }),
);
