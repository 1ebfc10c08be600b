import { readClaim, readVerified, type VerifyOptions } from '../verification/verification';
import type { WebhookEvent } from '../verification/webhook-event';
import { fromHex, keyOf, signedBytes } from './hmac';

/**
 * Returns the event if the signature is valid and recent. Otherwise throws a `WebhookVerificationError`. The body must be
 * the exact bytes of the request: parsing and serializing JSON changes them. Pass both secrets during a rotation.
 */
export async function verifyWebhook<Subject = Readonly<Record<string, unknown>>>(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent<Subject>> {
  const { secrets, time, digests } = readClaim(rawBody, header, secret);
  const bytes = signedBytes(time, rawBody);
  const comparisons = secrets.map(async (one) => {
    const key = await keyOf(one, 'verify');
    // Web Crypto compares in constant time, so that timing reveals nothing about the expected signature.
    return Promise.all(digests.map((digest) => crypto.subtle.verify('HMAC', key, fromHex(digest), bytes)));
  });
  const matches = (await Promise.all(comparisons)).flat().includes(true);
  return readVerified<Subject>(rawBody, time, matches, options);
}
