import { formatSignature, signingTime } from '../verification/parse-signature';
import { digestOf } from './hmac';

/** The `Service-Signature` that Florin would send with this body, for tests. */
export function signWebhook(
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  at = new Date(),
): string {
  const time = signingTime(at);
  const digests = [secrets].flat().map((secret) => digestOf(secret, time, rawBody).toString('hex'));
  return formatSignature(time, digests);
}
