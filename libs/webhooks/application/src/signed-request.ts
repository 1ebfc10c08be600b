import { assert } from '@florin/kernel';
import type { ClaimedDelivery, Receiver } from './delivery-queue.port';
import { HmacKey, MessageToSign } from './hmac-key';
import type { WebhookRequest } from './webhook-sender.port';

/** Keys are forgotten with the receivers that they belong to. */
const keysOf = new WeakMap<readonly string[], readonly HmacKey[]>();

/** The request of one attempt: the body is that of every attempt, time and signatures are its own. */
export function signedRequest(
  { eventId, environment, body }: ClaimedDelivery,
  { url, secrets }: Receiver,
  now: Date,
): WebhookRequest {
  const unixSeconds = Math.floor(now.getTime() / 1000);
  const message = new MessageToSign(`${unixSeconds}.`, body);
  return {
    url,
    environment,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Florin-Webhooks/1',
      'Webhook-Id': eventId,
      'Service-Signature': signatureOf(secrets, unixSeconds, message),
    },
    body: message.body,
  };
}

/** One `v1` for each secret, so that a receiver can change to the new one at any moment of the overlap. */
function signatureOf(secrets: readonly string[], unixSeconds: number, message: MessageToSign): string {
  let header = `t=${unixSeconds}`;
  for (const key of keysFor(secrets)) header += `,v1=${key.sign(message)}`;
  return header;
}

function keysFor(secrets: readonly string[]): readonly HmacKey[] {
  const known = keysOf.get(secrets);
  if (known) return known;
  assert(secrets.length > 0 && !secrets.includes(''), 'a delivery without a secret must not be claimed');
  const keys = secrets.map((secret) => new HmacKey(secret));
  keysOf.set(secrets, keys);
  return keys;
}
