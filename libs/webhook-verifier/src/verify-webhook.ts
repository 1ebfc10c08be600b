import { timingSafeEqual } from 'node:crypto';
import { digestOf } from './digest-of';
import { parseSignature } from './parse-signature';
import type { WebhookEvent } from './webhook-event';
import { WebhookVerificationError } from './webhook-verification-error';

export interface VerifyOptions {
  /** How far the sender's clock and ours may be apart, either way; 300 unless you say so. */
  readonly toleranceSeconds?: number;
  /** The time of the receiver, for tests. */
  readonly now?: Date;
}

/**
 * The event, once it is certain that Florin has sent it and that nobody has kept it back; otherwise a
 * `WebhookVerificationError`. The body has to be what came over the wire, byte for byte: JSON that was parsed and written
 * again is signed by nobody. Give both secrets while one is being replaced by the other.
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
  // How long a comparison takes must not tell a forger how much of a signature was right.
  if (!digests.some((digest) => expected.some((own) => timingSafeEqual(own, digest)))) throw mismatch();
  // Written so that a clock or a tolerance that is no number refuses everything.
  const fresh = Math.abs(Math.floor(now.getTime() / 1000) - Number(time)) <= toleranceSeconds;
  if (!fresh) throw stale(toleranceSeconds);
  return readEvent(rawBody) as WebhookEvent<Subject>;
}

/** An empty secret, as an unset variable leaves it, would let anybody sign. */
function usableSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = [secret].flat().filter((one) => typeof one === 'string' && one !== '');
  if (secrets.length > 0) return secrets;
  throw new WebhookVerificationError(
    'secret_missing',
    'There is no secret to verify with: give the whsec_… that was shown when the endpoint was registered.',
  );
}

function requireRawBody(rawBody: unknown): void {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return;
  throw new WebhookVerificationError(
    'body_not_raw',
    'The body is neither text nor bytes: hand over what came over the wire, before anything parses it.',
  );
}

/** Node joins a header that was sent twice; a framework that makes a list of it leaves open which one counts. */
function onlyHeader(header: string | readonly string[] | undefined): string {
  const [only, ...others] = [header ?? []].flat();
  if (only !== undefined && only !== '' && others.length === 0) return only;
  throw new WebhookVerificationError(
    'signature_missing',
    'The request has no single Service-Signature header: it does not come from Florin, or a proxy has removed it.',
  );
}

function readEvent(rawBody: string | Uint8Array): unknown {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  try {
    const event = JSON.parse(text) as Partial<WebhookEvent> | null;
    if (typeof event?.id === 'string' && typeof event.type === 'string') return event;
  } catch {
    // It ends as any other body that is no event.
  }
  throw new WebhookVerificationError(
    'body_malformed',
    'The body is signed rightly but is no event: it has no id and type.',
  );
}

function mismatch(): WebhookVerificationError {
  return new WebhookVerificationError(
    'signature_mismatch',
    'No signature fits the body: check that the secret is the one of this endpoint and that the body is untouched.',
  );
}

function stale(toleranceSeconds: number): WebhookVerificationError {
  return new WebhookVerificationError(
    'timestamp_out_of_tolerance',
    `The request was not signed within ${toleranceSeconds} s of now: somebody has kept it back, or a clock is wrong.`,
  );
}
