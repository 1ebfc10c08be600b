import 'reflect-metadata';
import { processEnv, runService, tronPart } from '@florin/runtime';

/** Records blocks of the TRON chain in the log, and verifies them on request. It sends no commands. */
void runService(
  { name: 'tron-watcher', parts: [tronPart], needs: ['DATABASE_URL', 'TRON_NODE_URL'] },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
