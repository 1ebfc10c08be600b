import { parseSignature, type ParsedSignature } from './parse-signature';
import type { WebhookEvent } from './webhook-event';
import { WebhookVerificationError } from './webhook-verification-error';

export interface VerifyOptions {
  /** The maximum difference between both clocks, in either direction; 300 by default. */
  readonly toleranceSeconds?: number;
  /** The current time, for tests. */
  readonly now?: Date;
}

/** What has to be compared with the body. */
export interface Claim extends ParsedSignature {
  readonly secrets: readonly string[];
}

/** The checks before the signatures are compared. */
export function readClaim(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
): Claim {
  const secrets = usableSecrets(secret);
  requireRawBody(rawBody);
  return { secrets, ...parseSignature(onlyHeader(header)) };
}

/** The checks after a signature has been compared, and the event if all of them pass. */
export function readVerified<Subject>(
  rawBody: string | Uint8Array,
  time: string,
  matches: boolean,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions,
): WebhookEvent<Subject> {
  if (!matches) throw mismatch();
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
function onlyHeader(header: string | readonly string[] | null | undefined): string {
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
