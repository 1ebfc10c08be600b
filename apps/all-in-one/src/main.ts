import 'reflect-metadata';
import {
  companiesPart,
  environment,
  invoicingPart,
  ledgerPart,
  operationsPart,
  runService,
  tronPart,
  webhooksPart,
} from '@florin/runtime';
import { join } from 'node:path';

/** Everything in one process: every context, the API, and a thread for the projections. */
void runService(
  {
    name: 'florin',
    api: true,
    parts: [companiesPart, ledgerPart, operationsPart, invoicingPart, tronPart, webhooksPart],
    projector: join(__dirname, 'projector.js'),
  },
  environment(),
);
