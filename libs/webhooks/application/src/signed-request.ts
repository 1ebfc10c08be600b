import { createHmac } from 'node:crypto';
import { assert } from '@florin/kernel';
import type { ClaimedDelivery, EndpointTarget } from './delivery-queue.port';
import type { WebhookRequest } from './webhook-sender.port';

/** The request of one attempt. Every attempt sends the same body with a new time and signature. */
export function signedRequest(
  { eventId, environment, body }: ClaimedDelivery,
  { url, secrets }: EndpointTarget,
  now: Date,
): WebhookRequest {
  const unixSeconds = Math.floor(now.getTime() / 1000);
  const bytes = Buffer.from(body);
  return {
    url,
    environment,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Florin-Webhooks/1',
      'Webhook-Id': eventId,
      'Service-Signature': signatureOf(secrets, unixSeconds, bytes),
    },
    body: bytes,
  };
}

/** One `v1` per secret, so that a client can switch to the new secret at any time of the overlap. */
function signatureOf(secrets: readonly string[], unixSeconds: number, body: Buffer): string {
  assert(secrets.length > 0 && !secrets.includes(''), 'a delivery without a secret must not be claimed');
  let header = `t=${unixSeconds}`;
  for (const secret of secrets) {
    header += `,v1=${createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')}`;
  }
  return header;
}
