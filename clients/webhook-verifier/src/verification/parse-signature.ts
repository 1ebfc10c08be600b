import { WebhookVerificationError } from './webhook-verification-error';

/** The parts of `Service-Signature: t=<unix seconds>,v1=<hex>,v1=<hex>`. */
export interface ParsedSignature {
  /** The exact text, because that is what was signed. */
  readonly time: string;
  /** In lowercase hexadecimal digits. */
  readonly digests: readonly string[];
}

const timePattern = /^\d{1,12}$/;
const digestPattern = /^[0-9a-f]{64}$/;

/** Far longer than any header of Florin. Limits the work for a forged one. */
const maximumLength = 4_096;

/** Ignores parts of unknown schemes. Rejects a second time, because it would be ambiguous which one was signed. */
export function parseSignature(header: string): ParsedSignature {
  const parts = header.length > maximumLength ? [] : header.split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = '', ...furtherTimes] = valuesOf('t');
  const digests = valuesOf('v1').filter((digest) => digestPattern.test(digest));
  if (!timePattern.test(time) || furtherTimes.length > 0 || digests.length === 0) {
    throw new WebhookVerificationError(
      'signature_malformed',
      'The Service-Signature does not have the form t=<unix seconds>,v1=<64 lowercase hex digits>, so it is not from Florin.',
    );
  }
  return { time, digests };
}

/** The header with these signatures. */
export function formatSignature(time: string, digests: readonly string[]): string {
  return [`t=${time}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
}

/** The time of a signature, in unix seconds. */
export function signingTime(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}
