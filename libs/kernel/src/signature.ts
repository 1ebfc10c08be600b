import { createHmac, timingSafeEqual } from 'node:crypto';
import { assert } from './assert';

type Body = string | Uint8Array;

const timePattern = /^\d{1,12}$/;
const digestPattern = /^[0-9a-f]{64}$/;

/** The value of a signature header: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. */
export function signPayload(secret: string, unixSeconds: number, body: Body): string {
  assert(Number.isSafeInteger(unixSeconds) && unixSeconds >= 0, () => `not a time in whole seconds: ${unixSeconds}`);
  return `t=${unixSeconds},v1=${digestOf(secret, `${unixSeconds}`, body).toString('hex')}`;
}

/**
 * Whether one of the header's `v1` values was made with one of the secrets, within the tolerated clock difference. Both
 * may be several, so that either side can rotate its secret without a gap. The comparison takes constant time.
 */
export function verifySignature(
  header: string | undefined,
  body: Body,
  secrets: readonly string[],
  nowSeconds: number,
  toleranceSeconds: number,
): boolean {
  const signature = header === undefined ? undefined : parseSignature(header);
  if (!signature) return false;
  const fresh = Math.abs(nowSeconds - Number(signature.time)) <= toleranceSeconds;
  if (!fresh) return false;
  const expected = secrets.map((secret) => digestOf(secret, signature.time, body));
  return signature.digests.some((digest) => expected.some((own) => timingSafeEqual(own, digest)));
}

/** Unknown parts belong to future schemes. Two times are rejected, because either could be the signed one. */
function parseSignature(header: string): { readonly time: string; readonly digests: readonly Buffer[] } | undefined {
  const parts = header.split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time, ...furtherTimes] = valuesOf('t');
  if (time === undefined || furtherTimes.length > 0 || !timePattern.test(time)) return undefined;
  const digests = valuesOf('v1').filter((digest) => digestPattern.test(digest));
  return { time, digests: digests.map((digest) => Buffer.from(digest, 'hex')) };
}

function digestOf(secret: string, time: string, body: Body): Buffer {
  assert(secret !== '', 'an empty secret allows any client to sign');
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}
