import 'reflect-metadata';
import { processEnv, runService, webhooksPart } from '@florin/runtime';

/** Webhook endpoints and the deliveries to them. */
void runService(
  {
    name: 'webhook-dispatcher',
    parts: [webhooksPart],
    vault: ['webhookSecrets'],
    needs: ['DATABASE_URL', 'VAULT_KEY'],
  },
  { ...processEnv(), COMMAND_BUS: 'kafka' },
);
