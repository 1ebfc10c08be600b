import {
  PostgresDeliveryQueue,
  PostgresRecoveryQueue,
  PostgresWebhookRetention,
} from '@florin/delivery-queue-postgres';
import { HttpWebhookSender } from '@florin/webhook-sender-http';
import {
  DELIVERY_QUEUE,
  RECOVERY_QUEUE,
  WEBHOOK_RETENTION,
  WEBHOOK_SENDER,
  WebhooksModule,
} from '@florin/webhooks-application';
import type { Config } from '../config';
import type { ServicePart } from '../service-definition';

const leaseMs = (config: Config): number => config.WEBHOOK_LEASE_SECONDS * 1_000;

export const webhooksPart: ServicePart = {
  modules: (config, log) => {
    const dispatcher = { slots: config.WEBHOOK_CONCURRENCY, leaseMs: leaseMs(config) };
    const recovery = { maxPending: config.WEBHOOK_RECOVERY_PENDING, perSecond: config.WEBHOOK_RECOVERY_RATE };
    const days = config.WEBHOOK_RETENTION_DAYS;
    return [WebhooksModule.forRoot({ dispatcher, recovery, ...(days > 0 && { retention: { days } }), log })];
  },
  ports: (config, { pool, connection, clock, vault }, log) => [
    {
      provide: DELIVERY_QUEUE,
      useValue: new PostgresDeliveryQueue(pool, connection, {
        keys: vault!.keys,
        onUnreadable: (endpointId, error) => {
          log.warn({ err: error, endpointId }, 'The secret of a webhook endpoint cannot be read; its deliveries wait');
        },
      }),
    },
    { provide: RECOVERY_QUEUE, useValue: new PostgresRecoveryQueue(pool) },
    { provide: WEBHOOK_RETENTION, useValue: new PostgresWebhookRetention(pool) },
    {
      provide: WEBHOOK_SENDER,
      useValue: new HttpWebhookSender({
        clock,
        allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
        // An attempt that starts late in the lease must end before another replica can claim the endpoint.
        timeoutMs: Math.min(15_000, leaseMs(config) / 4),
      }),
    },
  ],
};
