import 'reflect-metadata';
import { environment, runService, webhooksPart } from '@florin/runtime';

/** Webhook endpoints and the deliveries to them. */
void runService(
  { name: 'webhook-dispatcher', parts: [webhooksPart], needs: ['DATABASE_URL'] },
  environment({ COMMAND_BUS: 'kafka' }),
);
