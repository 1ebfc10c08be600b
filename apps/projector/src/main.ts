import 'reflect-metadata';
import { processEnv, runService } from '@florin/runtime';
import { join } from 'node:path';

/** Builds every read model from the log. It neither receives nor sends commands. */
void runService(
  {
    name: 'projector',
    parts: [],
    projector: join(__dirname, 'projector.js'),
    vault: ['holderKeys'],
    needs: ['DATABASE_URL', 'VAULT_KEY'],
  },
  { ...processEnv(), COMMAND_BUS: 'in-process' },
);
