import { canonicalJson, deterministicId, sha256 } from '@florin/kernel';
import { validationFailed } from '../errors/api-error';
import type { Caller } from '../caller';

/**
 * What a client's `Idempotency-Key` becomes. No table of keys is kept: the command carries both, and the aggregate,
 * which knows every wish it has granted, answers a repeat with the first answer or refuses another wish under the same id.
 */
export interface Idempotency {
  /** The same for every repeat: made of company, environment, endpoint and key. */
  readonly commandId: string;
  /** SHA-256 of the validated body. A repeat with another one is a conflict. */
  readonly fingerprint: string;
}

const maximumLength = 128;
const visibleAscii = /^[\x21-\x7e]+$/;

/** The key as the client sent it, or an error that says what a key looks like. */
export function readIdempotencyKey(header: string | string[] | undefined, required: boolean): string | undefined {
  if (header === undefined && !required) return undefined;
  if (header === undefined) {
    throw validationFailed('The header Idempotency-Key is required: send a new unique value for every new request.');
  }
  // Node joins a repeated header with a comma and a space, which the pattern refuses like any other space.
  if (typeof header !== 'string' || header.length > maximumLength || !visibleAscii.test(header)) {
    throw validationFailed('The header Idempotency-Key must be 1 to 128 visible ASCII characters, without spaces.');
  }
  return header;
}

/** `target` is the method and the path, ids included: one key used for two cards names two different wishes. */
export function idempotencyOf(caller: Caller, target: string, key: string, body: unknown): Idempotency {
  return {
    commandId: deterministicId(caller.companyId, caller.environment, target, key),
    fingerprint: sha256(canonicalJson(body ?? {})),
  };
}
