import 'reflect-metadata';
import { processEnv, runService, webhooksPart } from '@florin/runtime';

/** Webhook endpoints and the deliveries to them. */
void runService(
  { name: 'webhook-dispatcher', parts: [webhooksPart], needs: ['DATABASE_URL'] },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
