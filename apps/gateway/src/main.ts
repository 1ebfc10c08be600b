import 'reflect-metadata';
import { processEnv, runService } from '@florin/runtime';

/** The HTTP API. It sends commands to the other services and reads from the read models. */
void runService(
  {
    name: 'gateway',
    api: true,
    parts: [],
    vault: ['holderKeys', 'webhookSecrets'],
    // All replicas need the same operator token, which also signs the cursors of lists.
    needs: ['DATABASE_URL', 'FLORIN_OPERATOR_TOKEN', 'VAULT_KEY'],
  },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
