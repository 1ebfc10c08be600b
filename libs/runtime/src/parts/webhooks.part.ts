import { PostgresDeliveryQueue } from '@florin/delivery-queue-postgres';
import { HttpWebhookSender } from '@florin/webhook-sender-http';
import { DELIVERY_QUEUE, WEBHOOK_SENDER, WebhooksModule } from '@florin/webhooks-application';
import type { ServicePart } from '../service-definition';

export const webhooksPart: ServicePart = {
  modules: (config, log) => [WebhooksModule.forRoot({ dispatcher: { slots: config.WEBHOOK_CONCURRENCY }, log })],
  ports: (config, { pool, connection, clock }) => [
    { provide: DELIVERY_QUEUE, useValue: new PostgresDeliveryQueue(pool, connection) },
    {
      provide: WEBHOOK_SENDER,
      useValue: new HttpWebhookSender({ clock, allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK }),
    },
  ],
};
