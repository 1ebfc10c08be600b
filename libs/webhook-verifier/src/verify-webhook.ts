import { timingSafeEqual } from 'node:crypto';
import { parseSignature } from './parse-signature';
import { digestOf } from './sign-webhook';
import type { WebhookEvent } from './webhook-event';
import { WebhookVerificationError } from './webhook-verification-error';

export interface VerifyOptions {
  /** The maximum difference between both clocks, in either direction; 300 by default. */
  readonly toleranceSeconds?: number;
  /** The current time, for tests. */
  readonly now?: Date;
}

/**
 * Returns the event if the signature is valid and recent. Otherwise throws a `WebhookVerificationError`. The body must be
 * the exact bytes of the request: parsing and serializing JSON changes them. Pass both secrets during a rotation.
 */
export function verifyWebhook<Subject = Readonly<Record<string, unknown>>>(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | undefined,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): WebhookEvent<Subject> {
  const secrets = usableSecrets(secret);
  requireRawBody(rawBody);
  const { time, digests } = parseSignature(onlyHeader(header));
  const expected = secrets.map((one) => digestOf(one, time, rawBody));
  // Constant-time comparison, so that timing reveals nothing about the expected signature.
  if (!digests.some((digest) => expected.some((own) => timingSafeEqual(own, digest)))) throw mismatch();
  // Written so that NaN as the clock or the tolerance rejects everything.
  const fresh = Math.abs(Math.floor(now.getTime() / 1000) - Number(time)) <= toleranceSeconds;
  if (!fresh) throw stale(toleranceSeconds);
  return readEvent(rawBody) as WebhookEvent<Subject>;
}

/** With an empty secret, as from an unset variable, anyone could sign. */
function usableSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = [secret].flat().filter((one) => typeof one === 'string' && one !== '');
  if (secrets.length > 0) return secrets;
  throw new WebhookVerificationError(
    'secret_missing',
    'There is no secret. Pass the whsec_… that was shown when the endpoint was registered.',
  );
}

function requireRawBody(rawBody: unknown): void {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return;
  throw new WebhookVerificationError(
    'body_not_raw',
    'The body is neither text nor bytes. Pass the raw request body, before anything parses it.',
  );
}

/** Node joins repeated headers; a framework that returns a list would make it ambiguous which one counts. */
function onlyHeader(header: string | readonly string[] | undefined): string {
  const [only, ...others] = [header ?? []].flat();
  if (only !== undefined && only !== '' && others.length === 0) return only;
  throw new WebhookVerificationError(
    'signature_missing',
    'The request has no single Service-Signature header. It is not from Florin, or a proxy removed the header.',
  );
}

function readEvent(rawBody: string | Uint8Array): unknown {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  try {
    const event = JSON.parse(text) as Partial<WebhookEvent> | null;
    if (typeof event?.id === 'string' && typeof event.type === 'string') return event;
  } catch {
    // Rejected below like any other body that is not an event.
  }
  throw new WebhookVerificationError(
    'body_malformed',
    'The signature is valid, but the body is not an event: it has no id and type.',
  );
}

function mismatch(): WebhookVerificationError {
  return new WebhookVerificationError(
    'signature_mismatch',
    'No signature matches the body. Check that the secret belongs to this endpoint and that the body is unchanged.',
  );
}

function stale(toleranceSeconds: number): WebhookVerificationError {
  return new WebhookVerificationError(
    'timestamp_out_of_tolerance',
    `The request was not signed within ${toleranceSeconds} s of now: it was delayed, or a clock is wrong.`,
  );
}
