import 'reflect-metadata';
import { environment, runService } from '@florin/runtime';
import { join } from 'node:path';

/** Every read model, written from the log. It gets no command and sends none. */
void runService(
  { name: 'projector', parts: [], projector: join(__dirname, 'projector.js'), needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'in-process' }),
);
