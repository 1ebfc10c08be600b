import 'reflect-metadata';
import { environment, runService } from '@florin/runtime';

/** The API. It decides nothing itself: commands go to the services, and reads to the read models. */
void runService(
  {
    name: 'gateway',
    api: true,
    parts: [],
    // Every replica has to take the same person for an operator, and to understand the cursors of the others.
    needs: ['DATABASE_URL', 'FLORIN_OPERATOR_TOKEN'],
  },
  environment({ COMMAND_BUS: 'kafka' }),
);
