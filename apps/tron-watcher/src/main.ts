import 'reflect-metadata';
import { environment, runService, tronPart } from '@florin/runtime';

/** Reads the chain into the log. It gets no command and sends none. */
void runService(
  { name: 'tron-watcher', parts: [tronPart], needs: ['DATABASE_URL', 'TRON_NODE_URL'] },
  environment({ COMMAND_BUS: 'in-process' }),
);
