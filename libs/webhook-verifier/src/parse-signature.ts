import { WebhookVerificationError } from './webhook-verification-error';

/** What stands in `Service-Signature: t=<unix seconds>,v1=<hex>,v1=<hex>`. */
export interface ParsedSignature {
  /** As it was written, because that is what was signed. */
  readonly time: string;
  readonly digests: readonly Buffer[];
}

const timePattern = /^\d{1,12}$/;
const digestPattern = /^[0-9a-f]{64}$/;

/** No header of ours comes near: who sends more only wants to keep the receiver busy. */
const maximumLength = 4_096;

/** Parts with other names belong to schemes of the future; a second time would leave open which one was signed. */
export function parseSignature(header: string): ParsedSignature {
  const parts = header.length > maximumLength ? [] : header.split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = '', ...furtherTimes] = valuesOf('t');
  const digests = valuesOf('v1').filter((digest) => digestPattern.test(digest));
  if (!timePattern.test(time) || furtherTimes.length > 0 || digests.length === 0) {
    throw new WebhookVerificationError(
      'signature_malformed',
      'The Service-Signature is not of the form t=<unix seconds>,v1=<64 lowercase hex digits>: it is none of Florin’s.',
    );
  }
  return { time, digests: digests.map((digest) => Buffer.from(digest, 'hex')) };
}
