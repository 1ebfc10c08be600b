import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { assert } from '@florin/kernel';
import type { ClaimedDelivery } from './delivery-queue.port';
import type { WebhookRequest } from './webhook-sender.port';

/** To sign with a key takes half as long as with a text. Keys are forgotten with the deliveries that they belong to. */
const keysOf = new WeakMap<readonly string[], readonly KeyObject[]>();

/** The request of one attempt: the body is that of every attempt, time and signatures are its own. */
export function signedRequest(
  { eventId, url, environment, body, secrets }: ClaimedDelivery,
  now: Date,
): WebhookRequest {
  const bytes = Buffer.from(body);
  return {
    url,
    environment,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Florin-Webhooks/1',
      'Webhook-Id': eventId,
      'Service-Signature': signatureOf(secrets, Math.floor(now.getTime() / 1000), bytes),
    },
    body: bytes,
  };
}

/** One `v1` for each secret, so that a receiver can change to the new one at any moment of the overlap. */
function signatureOf(secrets: readonly string[], unixSeconds: number, body: Buffer): string {
  let header = `t=${unixSeconds}`;
  for (const key of keysFor(secrets)) {
    header += `,v1=${createHmac('sha256', key).update(`${unixSeconds}.`).update(body).digest('hex')}`;
  }
  return header;
}

function keysFor(secrets: readonly string[]): readonly KeyObject[] {
  const known = keysOf.get(secrets);
  if (known) return known;
  assert(secrets.length > 0 && !secrets.includes(''), 'a delivery without a secret must not be claimed');
  const keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
  keysOf.set(secrets, keys);
  return keys;
}
