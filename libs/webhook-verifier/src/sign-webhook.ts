import { createHmac } from 'node:crypto';

/** The `Service-Signature` that Florin would send with this body, for tests. */
export function signWebhook(
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  at = new Date(),
): string {
  const time = String(Math.floor(at.getTime() / 1000));
  const digests = [secrets].flat().map((secret) => `v1=${digestOf(secret, time, rawBody).toString('hex')}`);
  return [`t=${time}`, ...digests].join(',');
}

/** HMAC-SHA256 of `t.body`, keyed with the complete secret, including `whsec_`. */
export function digestOf(secret: string, time: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}
