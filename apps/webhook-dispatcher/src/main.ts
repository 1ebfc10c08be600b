import 'reflect-metadata';
import { environment, runService, webhooksPart } from '@florin/runtime';

/** Webhook endpoints and the deliveries to them. */
void runService(
  {
    name: 'webhook-dispatcher',
    parts: [webhooksPart],
    vault: ['webhookSecrets'],
    needs: ['DATABASE_URL', 'VAULT_KEY'],
  },
  environment({ COMMAND_BUS: 'kafka' }),
);
