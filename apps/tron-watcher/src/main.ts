import 'reflect-metadata';
import { processEnv, runService, tronPart } from '@florin/runtime';

/** Records blocks of the TRON chain in the log. It neither receives nor sends commands. */
void runService(
  { name: 'tron-watcher', parts: [tronPart], needs: ['DATABASE_URL', 'TRON_NODE_URL'] },
  { ...processEnv(), COMMAND_BUS: 'in-process' },
);
