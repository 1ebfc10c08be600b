import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { createPool, type DatabaseConnection } from '@florin/database';
import { PostgresDeliveryQueue, PostgresSecretVault } from '@florin/delivery-queue-postgres';
import { KeyRing, systemClock } from '@florin/kernel';
import { HttpWebhookSender } from '@florin/webhook-sender-http';
import {
  EndpointDisabler,
  type AttemptRecord,
  WebhookDispatcher,
  type WebhooksOptions,
} from '@florin/webhooks-application';
import type { Pool } from 'pg';
import { fillQueue, perEndpoint } from './fill-queue';

export interface Endpoints {
  readonly healthy: number;
  readonly hanging: number;
}

/** The product's dispatcher on a queue that is filled before the measurement. */
export class FlorinDeliveries {
  private readonly pool: Pool;

  constructor(
    private readonly connection: DatabaseConnection,
    private readonly url: string,
  ) {
    this.pool = createPool(connection, { max: 10 });
  }

  /** Acknowledged and stored deliveries per second, from the start until all healthy endpoints are served. */
  async perSecond({ healthy, hanging }: Endpoints): Promise<number> {
    const paths = [...Array<string>(healthy).fill('/ok'), ...Array<string>(hanging).fill('/hang')];
    await fillQueue(
      this.pool,
      paths.map((path) => `${this.url}${path}`),
    );
    const keys = new KeyRing([randomBytes(32)]);
    await new PostgresSecretVault(this.pool, keys).rewrap(undefined, paths.length);
    const queue = new CountingQueue(this.pool, { ...this.connection }, { keys, onUnreadable: failOnUnreadable });
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true });
    const options: WebhooksOptions = { log: errorLog, dispatcher: { graceMs: 0 } };
    const unusedBus = { request: () => Promise.reject(new Error('not connected')), send: async () => undefined };
    const disabler = new EndpointDisabler(unusedBus, systemClock, options);
    const dispatcher = new WebhookDispatcher(queue, sender, disabler, systemClock, options);
    const begin = performance.now();
    dispatcher.start();
    await queue.untilAcknowledged(healthy * perEndpoint);
    const seconds = (performance.now() - begin) / 1_000;
    await dispatcher.stop();
    await sender.close();
    return (healthy * perEndpoint) / seconds;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

function failOnUnreadable(endpointId: string, error: unknown): never {
  throw new Error(`The secret of ${endpointId} cannot be read`, { cause: error });
}

class CountingQueue extends PostgresDeliveryQueue {
  private acknowledged = 0;
  private onAcknowledged: () => void = () => undefined;

  override async recordAttempts(records: readonly AttemptRecord[]) {
    const failing = await super.recordAttempts(records);
    this.acknowledged += records.filter(({ status }) => status === 'delivered').length;
    this.onAcknowledged();
    return failing;
  }

  async untilAcknowledged(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.onAcknowledged = () => (this.acknowledged >= count ? resolve() : undefined);
    });
  }
}

const errorLog: WebhooksOptions['log'] = {
  info: () => undefined,
  warn: (details, message) => console.error(message, details),
  error: (details, message) => console.error(message, details),
};
