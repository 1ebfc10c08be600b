import { formatSignature, signingTime } from '../verification/parse-signature';
import { keyOf, signedBytes, toHex } from './hmac';

/** The `Service-Signature` that Florin would send with this body, for tests. */
export async function signWebhook(
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  at = new Date(),
): Promise<string> {
  const time = signingTime(at);
  const bytes = signedBytes(time, rawBody);
  const digests = [secrets].flat().map(async (secret) => {
    const digest = await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), bytes);
    return toHex(new Uint8Array(digest));
  });
  return formatSignature(time, await Promise.all(digests));
}
