import 'reflect-metadata';
import { processEnv, runService } from '@florin/runtime';
import { join } from 'node:path';

/** Builds every read model from the log. It neither receives nor sends commands. */
void runService(
  { name: 'projector', parts: [], projector: join(__dirname, 'projector.js'), needs: ['DATABASE_URL'] },
  { ...processEnv(), COMMAND_BUS: 'in-process' },
);
