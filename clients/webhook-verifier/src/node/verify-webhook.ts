import { timingSafeEqual } from 'node:crypto';
import { readClaim, readVerified, type VerifyOptions } from '../verification/verification';
import type { WebhookEvent } from '../verification/webhook-event';
import { digestOf } from './hmac';

/**
 * Returns the event if the signature is valid and recent. Otherwise throws a `WebhookVerificationError`. The body must be
 * the exact bytes of the request: parsing and serializing JSON changes them. Pass both secrets during a rotation.
 */
export function verifyWebhook<Subject = Readonly<Record<string, unknown>>>(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): WebhookEvent<Subject> {
  const { secrets, time, digests } = readClaim(rawBody, header, secret);
  const given = digests.map((digest) => Buffer.from(digest, 'hex'));
  const expected = secrets.map((one) => digestOf(one, time, rawBody));
  // Constant-time comparison, so that timing reveals nothing about the expected signature.
  const matches = given.some((digest) => expected.some((own) => timingSafeEqual(own, digest)));
  return readVerified<Subject>(rawBody, time, matches, options);
}
