import { createHmac } from 'node:crypto';

/** HMAC-SHA256 of `t.body`, keyed with the complete secret, including `whsec_`. */
export function digestOf(secret: string, time: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}
