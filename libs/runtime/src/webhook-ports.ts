import { PostgresDeliveryQueue, PostgresSecretVault } from '@florin/delivery-queue-postgres';
import { DELIVERY_QUEUE, WEBHOOK_SENDER, type WebhooksOptions } from '@florin/webhooks-application';
import { SECRET_VAULT } from '@florin/webhooks-domain';
import { HttpWebhookSender } from '@florin/webhook-sender-http';
import type { Provider } from '@nestjs/common';
import type { Config } from './config';
import type { Log } from './log';
import type { Platform } from './platform';

/** What stands behind the ports of the webhooks context. */
export function webhookPorts(config: Config, { pool, connection, clock }: Platform): Provider[] {
  const allowLoopback = config.WEBHOOK_ALLOW_LOOPBACK;
  return [
    { provide: SECRET_VAULT, useValue: new PostgresSecretVault(pool) },
    { provide: DELIVERY_QUEUE, useValue: new PostgresDeliveryQueue(pool, connection) },
    { provide: WEBHOOK_SENDER, useValue: new HttpWebhookSender({ clock, allowLoopback }) },
  ];
}

export function webhooksOptions(config: Config, log: Log): WebhooksOptions {
  return { dispatcher: { slots: config.WEBHOOK_CONCURRENCY }, log };
}
