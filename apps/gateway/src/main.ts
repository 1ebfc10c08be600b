import 'reflect-metadata';
import { processEnv, runService } from '@florin/runtime';

/** The HTTP API. It sends commands to the other services and reads from the read models. */
void runService(
  {
    name: 'gateway',
    api: true,
    parts: [],
    // All replicas need the same operator token, which also signs the cursors of lists.
    needs: ['DATABASE_URL', 'FLORIN_OPERATOR_TOKEN'],
  },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
