import { digestOf } from './digest-of';

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
