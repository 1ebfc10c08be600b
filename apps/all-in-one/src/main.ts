import 'reflect-metadata';
import {
  companiesPart,
  processEnv,
  invoicingPart,
  ledgerPart,
  operationsPart,
  runService,
  tronPart,
  webhooksPart,
} from '@florin/runtime';
import { join } from 'node:path';

/** All contexts, the API and a projector thread in one process. */
void runService(
  {
    name: 'florin',
    api: true,
    vault: ['holderKeys', 'webhookSecrets'],
    parts: [companiesPart, ledgerPart, operationsPart, invoicingPart, tronPart, webhooksPart],
    projector: join(__dirname, 'projector.js'),
  },
  processEnv(),
);
