import { assert, signPayload } from '@florin/kernel';
import type { ClaimedDelivery } from './delivery-queue.port';
import type { WebhookRequest } from './webhook-sender.port';

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
  const [newest, ...others] = secrets.map((secret) => signPayload(secret, unixSeconds, body));
  assert(newest !== undefined, 'a delivery without a secret must not be claimed');
  return [newest, ...others.map((header) => header.slice(header.indexOf(',') + 1))].join(',');
}
