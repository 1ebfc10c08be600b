import { createPool, type DatabaseConnection } from '@florin/database';
import { PostgresDeliveryQueue } from '@florin/delivery-queue-postgres';
import { KeyRing } from '@florin/kernel';
import { EndpointDisabler, WebhookDispatcher } from '@florin/webhooks-application';
import { HttpWebhookSender } from '../http-webhook-sender.adapter';

/** A dispatcher in a separate process, for tests that kill it. Its clock is ahead by `aheadMs`. */
function main(connection: DatabaseConnection, aheadMs: number): void {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const write = (_: object, message: string): void => void process.stderr.write(`${message}\n`);
  const log = { info: () => undefined, warn: write, error: write };
  const bus = { request: () => Promise.reject(new Error('there is no bus')), send: async () => undefined };
  const secretReading = { keys: new KeyRing([]), onUnreadable: () => write({}, 'a secret cannot be read') };
  const queue = new PostgresDeliveryQueue(createPool(connection), { ...connection }, secretReading);
  const sender = new HttpWebhookSender({ clock, allowLoopback: true });
  new WebhookDispatcher(queue, sender, new EndpointDisabler(bus, clock, { log }), clock, { log }).start();
}

main(JSON.parse(process.argv[2]!) as DatabaseConnection, Number(process.argv[3]));
