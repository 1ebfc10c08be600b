import { PostgresDeliveryQueue } from '@florin/delivery-queue-postgres';
import { HttpWebhookSender } from '@florin/webhook-sender-http';
import { DELIVERY_QUEUE, WEBHOOK_SENDER, WebhooksModule } from '@florin/webhooks-application';
import type { ServicePart } from '../service-definition';

export const webhooksPart: ServicePart = {
  modules: (config, log) => {
    const dispatcher = { slots: config.WEBHOOK_CONCURRENCY, leaseMs: config.WEBHOOK_LEASE_SECONDS * 1_000 };
    return [WebhooksModule.forRoot({ dispatcher, log })];
  },
  ports: (config, { pool, connection, clock }) => [
    { provide: DELIVERY_QUEUE, useValue: new PostgresDeliveryQueue(pool, connection) },
    {
      provide: WEBHOOK_SENDER,
      useValue: new HttpWebhookSender({ clock, allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK }),
    },
  ],
};
